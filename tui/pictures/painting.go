package pictures

import (
	"cmp"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// maxPainting limits the pictures that are shown while they are painted; others are only counted.
const maxPainting = 2

// Painting returns the lines below the last message while a picture of this chat is painted: its
// progress and preview.
func (r *Part) Painting(w, h int) []string {
	var jobs []*pane.Operation
	for _, j := range r.host.Work().Running() {
		if j.Capture != "" && j.Op.Type == pane.Paints && j.Chat == r.host.Play().Chat().Chat.ID {
			jobs = append(jobs, j)
		}
	}
	var lines []string
	shown := jobs[:min(len(jobs), maxPainting)]
	for _, j := range shown {
		head, st := "Scene Capture", r.host.Styles().Accent
		if r.requested[j.Capture] { // it will be shown here as the character's own
			if name, voice := r.play.LastSpeaker(); name != "" {
				head, st = draw.Clip(name, max(1, w/2)), voice
			}
		}
		words := draw.Clip(safetext.Line(captureProgress(j)), max(1, w-ansi.StringWidth(head)-1))
		lines = append(lines, st.Styled(head)+" "+r.host.Styles().Dim.Styled(words))
		if s := r.display.pictures[j.Capture]; s != nil && s.img != nil && r.display.mode != "off" {
			lines = append(lines, r.display.cellsOf(s, min(w, 48), max(4, h*2/5/len(shown)), r.host.Styles().Dark)...)
		}
		lines = append(lines, "")
	}
	if n := len(jobs) - len(shown); n > 0 {
		steps, of := 0, 0
		for _, j := range jobs[len(shown):] {
			steps, of = steps+j.Progress.Step, of+j.Progress.Of
		}
		words := fmt.Sprintf("and %d more are being generated", n)
		if n == 1 {
			words = "and one more is being generated"
		}
		if of > 0 {
			words += " " + draw.Meter(float64(steps)/float64(of), 8)
		}
		lines = append(lines, r.host.Styles().Dim.Styled(draw.Clip(words, w)), "")
	}
	return lines
}

// captureProgress describes the progress of a picture: the phase, a bar of its steps, the
// remaining and the elapsed time.
func captureProgress(j *pane.Operation) string {
	return draw.Join(cmp.Or(pane.ProgressWords(j), "waiting for ComfyUI"), workedFor(j))
}

// workedFor returns how long a job has been running, "" if unknown.
func workedFor(j *pane.Operation) string {
	if j.Op.StartedAt.IsZero() {
		return ""
	}
	return draw.Elapsed(time.Since(j.Op.StartedAt))
}

// captureChanged updates an open preview and the shown picture.
func (r *Part) captureChanged(c storage.Capture) tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range r.host.Dialogs().All {
		if p, ok := d.(*preview); ok && p.c.ID == c.ID {
			cmds = append(cmds, p.fill(c))
		}
	}
	switch {
	case c.Status != storage.CaptureGenerating:
		delete(r.requested, c.ID)
	case c.Board == "" && (c.Asked || c.Requested != ""): // sketches are in the gallery only
		r.requested[c.ID] = true
	}
	if c.Status == storage.CaptureCompleted {
		r.display.done(c.ID)
	}
	return tea.Batch(cmds...)
}
