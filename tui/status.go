package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// runningWork holds the operations that the queue runs or will run.
type runningWork struct {
	running map[storage.OperationID]*running
	pending map[storage.OperationID]storage.Operation
}

// running is a running operation.
type running struct{ pane.Operation }

// update notes an operation in its new state and reports whether it has just ended.
func (w *runningWork) update(op storage.Operation) {
	if w.running == nil {
		w.running, w.pending = map[storage.OperationID]*running{}, map[storage.OperationID]storage.Operation{}
	}
	delete(w.pending, op.ID)
	switch op.Status {
	case storage.InProgress:
		if j := w.running[op.ID]; j != nil && j.Op.StartedAt.Equal(op.StartedAt) {
			return // it was already reported
		}
		w.running[op.ID] = newRunning(op)
		return
	case storage.Pending:
		w.pending[op.ID] = op
	}
	delete(w.running, op.ID)
}

func newRunning(op storage.Operation) *running { return &running{pane.NewOperation(op)} }

func (w *runningWork) first() *running {
	var first *running
	for _, j := range w.running {
		if first == nil || j.Op.ID < first.Op.ID {
			first = j
		}
	}
	return first
}

// waiting returns the number of operations that wait for their turn, without postponed ones.
func (w *runningWork) waiting() (n int) {
	for _, op := range w.pending {
		if !queue.IsPostponed(op, time.Now()) {
			n++
		}
	}
	return n
}

type tickMsg struct{}

// Tick implements pane.Background. It makes the clock in the status line move, once a second, for
// as long as something runs.
func (a background) Tick() tea.Cmd {
	if a.ticking {
		return nil
	}
	a.ticking = true
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

func (a *app) tick() tea.Cmd {
	a.ticking = false
	if a.Play().Replying() || len(a.work.running) > 0 {
		return a.Work().Tick()
	}
	return nil
}

// doing describes the running work, in a few words.
func (a *app) doing() string {
	var parts []string
	if words := a.parts.play.Progress(); words != "" {
		parts = append(parts, words)
	}
	waiting := a.work.waiting()
	if waiting > 0 && a.eng.Queue.Paused() {
		parts = append(parts, "queue paused ("+a.keys.Key(keys.PaneQueue, keys.Write)+")")
	}
	if j := a.work.first(); j != nil {
		took := time.Since(j.Op.StartedAt)
		words := queue.TypeText(j.Op.Type) + " " + draw.Elapsed(took)
		if a.eng != nil { // a screen that is only drawn has none
			if limit := a.eng.Queue.Limit(j.Op); limit > 0 && took > limit/10 {
				words += ", gives up at " + draw.Elapsed(limit)
			}
		}
		if j.Op.Type == pane.Paints {
			words = pane.BriefProgress(&j.Operation)
		} else if p := pane.ProgressWords(&j.Operation); p != "" {
			words += " · " + p
		}
		if n := len(a.work.running) - 1 + waiting; n > 0 {
			words += fmt.Sprintf(" (+%d)", n)
		}
		parts = append(parts, words)
	}
	for _, w := range a.workers {
		if words := w.Doing(); words != "" {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, " · ")
}

func (a *app) drawStatus(buf uv.ScreenBuffer, area uv.Rectangle) {
	if area.Empty() {
		return
	}
	sty := a.sty
	draw.Fill(buf, area, sty.Status)
	x, y, end := area.Min.X, area.Min.Y, area.Max.X
	x += draw.Put(buf, x, y, end-x, sty.StatusMode, " "+strings.ToUpper(a.mode.String())+" ")
	if a.opts.Demo {
		st := sty.Status
		st.Fg = sty.Palette.Warning
		st.Attrs |= uv.AttrBold
		x += draw.Put(buf, x, y, end-x, st, " DEMO")
	}
	if level, text := a.gone.over(a.notice); text != "" {
		st := sty.Status
		switch level {
		case event.Error:
			st.Fg = sty.Palette.Error
		case event.Warning:
			st.Fg = sty.Palette.Warning
		}
		parts := a.modelAndContext(end - x)
		if doing := a.parts.play.Progress(); doing != "" {
			parts = append([]string{doing}, parts...)
		}
		most := (end - x) / 2
		if a.dialogs.Top() != nil { // it may hide the rows above, so the words must fit here
			most = min(most, end-x-4-ansi.StringWidth(safetext.Line(text)))
		}
		end = drawRight(buf, sty.Status, x, y, end, parts, most)
		a.drawNotice(buf, uv.Rect(x+1, y, end-x-1, 1), st, text)
		return
	}
	doing := a.doing()
	end = drawRight(buf, sty.Status, x, y, end, a.statusRight(end-x), end-x-4-min(ansi.StringWidth(doing), (end-x)/2))
	middle := safetext.Line(a.Play().Chat().Chat.Title)
	if doing != "" {
		if end-x < 60 {
			middle = doing
		} else {
			middle = strings.TrimPrefix(draw.Clip(middle, 24)+" · "+doing, " · ")
		}
	}
	draw.Put(buf, x+1, y, end-x-1, sty.Status, middle)
}

// drawRight draws as many of the parts as fit into most cells at the right end of the status line,
// and returns the end of the remaining line.
func drawRight(buf uv.ScreenBuffer, st uv.Style, x, y, end int, parts []string, most int) int {
	for len(parts) > 0 && ansi.StringWidth(strings.Join(parts, " · ")) >= most {
		parts = parts[:len(parts)-1]
	}
	right := strings.Join(parts, " · ")
	if right == "" {
		return end
	}
	n := ansi.StringWidth(right)
	draw.Put(buf, end-n-1, y, n, st, right)
	return end - n - 2
}

// statusRight returns the model, the context, the words of the parts and what the prompt lacks, the
// most important first. w is the available width.
func (a *app) statusRight(w int) []string {
	var parts []string
	if a.parts.play.HiddenBelow() {
		parts = append(parts, "↓ more")
	}
	parts = append(parts, a.modelAndContext(w)...)
	for _, s := range a.statusers {
		parts = append(parts, s.Status(w)...)
	}
	if w > 90 {
		parts = append(parts, a.parts.play.PromptWords()...)
	}
	return parts
}

// modelAndContext returns the model, or the problem with its server, and the share of the context
// that the next prompt uses. w is the available width.
func (a *app) modelAndContext(w int) (parts []string) {
	switch s := a.servers.Ollama; {
	case s.Asked && !s.Up:
		parts = append(parts, "Ollama is offline ("+a.keys.Key(keys.Retry, keys.Write)+")")
	case a.Play().Chat().Model == "" && s.Asked:
		parts = append(parts, "no model ("+a.keys.Key(keys.Models, keys.Write)+")")
	case a.Play().Chat().Model != "":
		parts = append(parts, draw.Clip(a.Play().Chat().Model, 24))
	}
	if share, ok := a.parts.play.Fill(); ok {
		words := "context %d%%"
		if w < 50 {
			words = "%d%%"
		}
		parts = append(parts, fmt.Sprintf(words, int(share*100)))
	}
	return parts
}

func (a *app) windowTitle() string {
	t := "Ghostlight"
	if a.Play().Chat().Chat.Title != "" && a.lock == nil {
		t = a.Play().Chat().Chat.Title + " – Ghostlight"
	}
	return safetext.Title(t)
}
