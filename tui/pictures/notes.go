package pictures

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// checkDelay is how long the prompt must be unchanged before it is checked.
const checkDelay = 250 * time.Millisecond

// maxChecked limits the length of a prompt that is checked, in bytes.
const maxChecked = 32 << 10

// promptCheck is the result of checking a prompt.
type promptCheck struct {
	text   string // the text of the last check
	begun  bool
	done   string   // the text that the results belong to
	faults []string // found by the rules
}

// scheduleCheck checks the prompt after a delay, off the screen's goroutine. It is nil if nothing
// has changed.
func (p *preview) scheduleCheck(after time.Duration) tea.Cmd {
	text := p.Fields[fieldPrompt].Value()
	if p.check.begun && text == p.check.text || draw.Blank(text) && !p.check.begun {
		return nil
	}
	p.check.begun, p.check.text = true, text
	rules := p.rules()
	look := p.part.host.Do(func() func() tea.Cmd {
		part := text[:min(len(text), maxChecked)]
		var faults []string
		for _, f := range capture.CheckText(rules, part) {
			faults = append(faults, f.Message)
		}
		return func() tea.Cmd {
			if p.check.text == text { // else a later check is scheduled
				p.check.done, p.check.faults = text, faults
			}
			return nil
		}
	})
	if after == 0 {
		return look
	}
	return tea.Tick(after, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			if p.check.text != text {
				return nil
			}
			return look
		})
	})
}

// checkAgain checks the prompt again because the rules have changed.
func (p *preview) checkAgain() tea.Cmd {
	p.check.begun = false
	return p.scheduleCheck(0)
}

// rules returns the rules of this capture's prompt.
func (p *preview) rules() capture.Input {
	in := capture.Input{Kind: capture.Kind(p.c.Kind), Requested: p.c.Requested, Form: p.form()}
	if p.c.Chat == p.part.host.Play().Chat().Chat.ID {
		in.Character = p.part.host.Play().Chat().Character
	}
	return in
}

// wordCount returns the length of the prompt, and whether it is bad.
func (p *preview) wordCount() (string, bool) {
	text := p.Fields[fieldPrompt].Value()
	if p.c.Status == storage.CapturePrompting && draw.Blank(text) {
		return draw.Plural(0, "word"), false
	}
	return p.form().Length(capture.Kind(p.c.Kind), text)
}

// form returns the prompt form of the chosen workflow.
func (p *preview) form() capture.Form { return p.flow().form }

// isOffline reports whether no server can paint.
func (p *preview) isOffline() bool {
	return p.part.host.Work().Servers().Comfy.Asked && !p.part.host.Work().Servers().Comfy.Up
}

// faults returns the problems of the prompt; for the model's unchanged prompt, the stored warnings.
func (p *preview) faults() []string {
	if p.c.Status == storage.CapturePrompting && !p.Fields[fieldPrompt].Input.Changed() {
		return nil // it is not written yet
	}
	out := slices.Clone(p.c.Warnings)
	if text := p.Fields[fieldPrompt].Value(); p.check.begun && text != p.c.Prompt && !draw.Blank(text) {
		out = slices.Clone(p.check.faults)
	}
	if p.c.Wrote != nil && p.c.Wrote.Camera != p.camera {
		out = append(out, "The prompt was written for another camera.")
	}
	return out
}

// remarks returns the lines below the fields: faults, the camera, the workflow's inputs, and the
// model's reasoning.
func (p *preview) remarks() []remark {
	var out []remark
	add := func(label, text string, bad bool) {
		if text != "" {
			out = append(out, remark{label, safetext.Line(text), bad})
		}
	}
	if p.c.Status == storage.CapturePrompting {
		add("", p.writing(), false)
	}
	if p.c.Status == storage.CaptureCompleted {
		add("", "Already generated: sending creates another picture.", false)
	}
	if p.c.Status == storage.CaptureFailed || p.c.Error != "" {
		add("", p.c.Error, true)
	}
	for _, f := range p.faults() {
		add("", draw.Clip(f, 300), true)
	}
	f := p.flow()
	switch {
	case f.fault != "":
		add("", f.name+": "+draw.Clip(f.fault, 300), true)
	case f.uncertain():
		add("", "input mapping not confirmed: "+f.name, true)
	case p.missing[f.name] != "":
		add("", "your server lacks what "+f.name+" needs: "+draw.Clip(p.missing[f.name], 300), true)
	case f.kind != "" && p.c.Kind != "" && f.kind != p.c.Kind:
		add("", fmt.Sprintf("%s makes a %s, not a %s", f.name, f.kind, p.c.Kind), true)
	}
	for _, w := range f.warnings {
		if w != f.fault {
			add("", draw.Clip(w, 200), true)
		}
	}
	for _, w := range p.unused() {
		add("", w, false)
	}
	if p.isOffline() {
		add("", "ComfyUI is offline: what you send is kept as a draft until it is back", true)
	}
	for _, n := range p.notes() {
		add("", draw.Clip(n, 300), false)
	}
	if p.spare != "" {
		add(p.Key(keys.DialogSwap)+" ", "shows the other version of the prompt", false)
	}
	words := cameraText(p.camera)
	if words == "" {
		words = "set by the prompt"
	}
	add("Camera      ", words, false)
	if p.c.Start != nil {
		add("Start picture ", "strength is how much may change: 0.3 little, 0.7 much", false)
	}
	if p.form().Tags {
		add("Prompt ", "comma-separated tags, most important first", false)
	}
	if p.c.Wrote != nil {
		add("Shows: ", draw.Clip(p.c.Wrote.Says, 240), false)
	}
	if p.c.Reasoning != "" {
		add("Why: ", draw.Clip(p.c.Reasoning, 240), false)
	}
	add("Uses ", f.takes(), false)
	return out
}

// unused returns the fields that the chosen workflow has no input for.
func (p *preview) unused() []string {
	f := p.flow()
	if f.unused == nil || f.fault != "" {
		return nil
	}
	w, h, _ := pictures.ParseSize(p.Fields[fieldSize].Value()) // an invalid size is refused when it is sent
	return f.unused(p.Fields[fieldNegative].Value(), w, h)
}

// notes returns remarks on the prompt that are not warnings.
func (p *preview) notes() []string {
	if p.c.Wrote == nil || p.Fields[fieldPrompt].Value() != p.c.Prompt {
		return nil
	}
	return p.c.Wrote.Notes
}

// writing returns the progress of the prompt, or the reason for waiting.
func (p *preview) writing() string {
	if p.part.host.Engine().Queue.Paused() {
		resume := pane.PathTo(p.part.host, keys.PaneQueue) + ", then " +
			p.part.host.Keys().Key(keys.PaneOnOff, keys.Pane)
		return "The queue is paused: the prompt is written when it resumes (" + resume + ")."
	}
	waited := draw.Elapsed(time.Since(p.opened))
	words := "Waiting for the model, " + waited
	for _, j := range p.part.host.Work().Running() {
		switch {
		case j.Capture == p.c.ID:
			return "The prompt is being written … " + draw.Elapsed(time.Since(j.Op.StartedAt)) + " " +
				pane.ProgressWords(j)
		case j.Op.Lane == queue.LaneOllama:
			words = "Waiting for the model, " + waited + ", running: " + queue.TypeText(j.Op.Type)
		}
	}
	return words
}

// openNotes shows all details of the capture.
func (p *preview) openNotes() tea.Cmd {
	p.part.host.Open(&widget.Reader{Title: "About this capture", Lines: p.allNotes})
	return nil
}

// allNotes returns all details of the capture, as styled lines of w cells.
func (p *preview) allNotes(w int, sty *draw.Styles) []string {
	t := draw.Lines{Width: w}
	say := func(st uv.Style, label, text string) {
		if draw.Blank(text) {
			return
		}
		if len(t.Text) > 0 {
			t.Blank()
		}
		t.Add(st, label+safetext.Block(text))
	}
	add := func(label, text string) { say(sty.Base, label, text) }
	for _, f := range p.faults() {
		say(sty.Warning, "! ", f)
	}
	f := p.flow()
	if f.fault != "" {
		say(sty.Warning, "! ", f.name+": "+f.fault)
	}
	for _, words := range f.warnings {
		say(sty.Warning, "! ", words)
	}
	add("Camera: ", cameraText(p.camera))
	for _, n := range p.notes() {
		add("", n)
	}
	if p.c.Wrote != nil {
		add("Shows: ", p.c.Wrote.Says)
		add("In view: ", strings.Join(p.c.Wrote.InView, ", "))
	}
	add("Focus: ", strings.Join(p.c.Focus, ", "))
	add("Why: ", p.c.Reasoning)
	add("Workflow "+f.name+": ", strings.Join(f.found, "\n"))
	add("Model's prompt: ", p.c.Prompt)
	add("Sent prompt: ", p.c.FinalPrompt)
	add("Other version: ", p.spare)
	if len(t.Text) == 0 {
		t.Add(sty.Dim, "No details yet.")
	}
	return t.Text
}

// factsChanged reads the open continuity sheet of a chat again.
func (r *Part) factsChanged(chat storage.ChatID) tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range r.host.Dialogs().All {
		switch d := d.(type) {
		case *factsDialog:
			if d.chat == chat {
				cmds = append(cmds, d.Read())
			}
		}
	}
	return tea.Batch(cmds...)
}
