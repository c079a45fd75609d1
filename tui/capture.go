package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/capture"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
	"ghostlight/tui/safetext"
)

// captureScene asks for a picture's prompt of the present moment; the preview
// opens at once and fills when the prompt is there.
func (a *app) captureScene() tea.Cmd { return a.startCapture(engine.CaptureRequest{Kind: "image"}) }

func (a *app) openRequested() tea.Cmd {
	f := &form{title: "Picture of what?", notes: []string{"Say what you want to see; the last messages tell the rest."},
		fields: []*field{lineField(a.lk, "Show", "", "the view from the gallery at dusk")}, foot: "enter write the prompt · esc close"}
	f.save = func(f *form) (tea.Cmd, error) {
		text := strings.TrimSpace(f.fields[0].value())
		if text == "" {
			return nil, errNeedsText
		}
		return a.startCapture(engine.CaptureRequest{Kind: "image", Requested: text}), nil
	}
	a.dialogs.open(f.start())
	return nil
}

func (a *app) startCapture(r engine.CaptureRequest) tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return a.say(engine.Info, "there is no chat to capture yet")
	}
	return a.do(func() answerFunc {
		c, err := a.eng.Capture(chat, r)
		flows, _ := a.eng.Workflows()
		var names []string
		for _, w := range flows {
			names = append(names, w.Name)
		}
		return func(a *app) tea.Cmd {
			if err != nil {
				a.dialogs.open(&reader{title: "No capture", lines: plainLines(engine.Words(err))})
				return nil
			}
			a.dialogs.open(newPreview(a, c, names))
			return a.startTicking()
		}
	})
}

// openCapture shows the preview of a capture that is there already.
func (a *app) openCapture(c storage.Capture) tea.Cmd {
	return a.do(func() answerFunc {
		flows, _ := a.eng.Workflows()
		var names []string
		for _, w := range flows {
			names = append(names, w.Name)
		}
		return func(a *app) tea.Cmd {
			a.dialogs.open(newPreview(a, c, names))
			return nil
		}
	})
}

// preview is the dialog between a capture's prompt and its sending. Nothing is
// sent without the user's key.
type preview struct {
	form
	a      *app
	c      storage.Capture
	filled bool
	camera capture.Camera
}

const (
	fieldPrompt = iota
	fieldNegative
	fieldWorkflow
	fieldSeed
	fieldSize
)

func newPreview(a *app, c storage.Capture, workflows []string) *preview {
	p := &preview{a: a, c: c}
	chosen := c.Workflow
	if chosen == "" && len(workflows) > 0 {
		chosen = workflows[0]
	}
	if len(workflows) == 0 {
		workflows = []string{""}
	}
	p.unsaved = "not kept: esc again drops the changes, ^D keeps a draft"
	p.title = "✦ Scene Capture"
	if c.Requested != "" {
		p.title = "✦ Picture: " + safetext.Line(c.Requested)
	}
	p.fields = []*field{
		textField(a.lk, "Prompt", "", 9),
		textField(a.lk, "Negative prompt", "", 3),
		pickField("Workflow", chosen, workflows),
		lineField(a.lk, "Seed", "", "random"),
		lineField(a.lk, "Size", "", "the workflow's own, or 1024x768"),
	}
	p.foot = "^S send · ^D draft · ^R rewrite · ^K camera · alt+e editor · esc close"
	p.count = func(*form) string { return plural(capture.Words(p.fields[fieldPrompt].value()), "word") }
	p.save = func(*form) (tea.Cmd, error) { return p.send() }
	key := func(k, words string, keep bool, do func() tea.Cmd) {
		p.keys = append(p.keys, extra{key: k, words: words, keep: keep, do: func(entry) tea.Cmd { return do() }})
	}
	key("ctrl+d", "keep as a draft", false, p.keep)
	key("ctrl+r", "write another", true, p.rewrite)
	key("ctrl+k", "camera", true, p.openCamera)
	key("alt+e", "editor", true, func() tea.Cmd {
		in := p.fields[fieldPrompt].in
		return a.external(in.value(), func(_ *app, text string) tea.Cmd { in.area.SetValue(safetext.Block(text)); return nil })
	})
	p.fill(c)
	p.start()
	return p
}

// fill takes what is now known of the capture; what the user has typed stays.
func (p *preview) fill(c storage.Capture) {
	p.c = c
	p.notes = nil
	for _, w := range c.Warnings {
		p.notes = append(p.notes, "! "+w)
	}
	if c.Reasoning != "" {
		p.notes = append(p.notes, "Why: "+clip(safetext.Line(c.Reasoning), 160))
	}
	switch c.Status {
	case storage.CapturePrompting:
		return
	case storage.CaptureFailed:
		p.notes = append([]string{"! " + c.Error}, p.notes...)
	}
	if p.filled && p.changed() {
		return
	}
	p.filled = true
	p.fields[fieldPrompt].in.set(promptOf(c))
	p.fields[fieldNegative].in.set(c.NegativePrompt)
	p.fields[fieldPrompt].in.area.MoveToBegin()
	p.fields[fieldNegative].in.area.MoveToBegin()
	if c.Seed != nil {
		p.fields[fieldSeed].in.set(strconv.FormatInt(*c.Seed, 10))
	}
	if c.Width > 0 {
		p.fields[fieldSize].in.set(fmt.Sprintf("%dx%d", c.Width, c.Height))
	}
}

// edit is what the fields say, or what is wrong with them.
func (p *preview) edit() (engine.CaptureEdit, error) {
	e := engine.CaptureEdit{ImagePrompt: strings.TrimSpace(p.fields[fieldPrompt].value()),
		NegativePrompt: strings.TrimSpace(p.fields[fieldNegative].value()), Workflow: p.fields[fieldWorkflow].value()}
	if s := strings.TrimSpace(p.fields[fieldSeed].value()); s != "" {
		seed, err := strconv.ParseInt(s, 10, 64)
		if err != nil || seed < 0 {
			return e, fmt.Errorf("the seed is a whole number from 0 up, or blank for a random one")
		}
		e.Seed = &seed
	}
	if s := strings.TrimSpace(p.fields[fieldSize].value()); s != "" {
		if n, err := fmt.Sscanf(strings.ToLower(s), "%dx%d", &e.Width, &e.Height); n != 2 || err != nil || e.Width < 64 || e.Height < 64 || e.Width > 4096 || e.Height > 4096 {
			return e, fmt.Errorf("the size is two numbers from 64 to 4096, such as 1024x768, or blank")
		}
	}
	return e, nil
}

func (p *preview) send() (tea.Cmd, error) {
	e, err := p.edit()
	if err != nil {
		return nil, err
	}
	if e.ImagePrompt == "" {
		return nil, fmt.Errorf("there is no prompt yet")
	}
	id := p.c.ID
	p.a.play.bottom() // where the picture will appear
	return p.a.try(func() error { _, err := p.a.eng.SendCapture(id, e); return err }), nil
}

func (p *preview) keep() tea.Cmd {
	e, err := p.edit()
	if err != nil {
		return p.a.fail(err)
	}
	id := p.c.ID
	return tea.Batch(p.a.try(func() error { return p.a.eng.SaveCapture(id, e) }),
		p.a.say(engine.Info, "kept as a draft in the captures pane"))
}

func (p *preview) rewrite() tea.Cmd {
	id := p.c.ID
	p.filled = false
	return p.a.try(func() error { return p.a.eng.RedoCapturePrompt(id) })
}

func (p *preview) handle(msg tea.Msg) (tea.Cmd, bool) { return p.form.handle(msg) }

func (p *preview) draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look) *painter.Cursor {
	if p.c.Status == storage.CapturePrompting {
		p.notes = []string{"The prompt is being written …"}
		if p.a.eng.QueuePaused() {
			p.notes[0] = "The queue is paused: the prompt is written when it goes on (" + p.a.keys.Key(keys.PaneQueue, keys.Write) + ", then p)."
		}
		for _, j := range p.a.work.running {
			if j.capture == p.c.ID {
				p.notes[0] += " " + elapsed(now().Sub(j.op.StartedAt)) + " " + progressWords(j)
			}
		}
	}
	return p.form.draw(buf, screen, lk)
}

// captureChanged updates an open preview, the pane, and a picture in the play.
func (a *app) captureChanged(c storage.Capture) tea.Cmd {
	for _, d := range a.dialogs.stack {
		if p, ok := d.(*preview); ok && p.c.ID == c.ID {
			p.fill(c)
		}
	}
	if c.Status == storage.CaptureCompleted {
		a.play.pictures.done(c.ID)
	}
	for _, it := range a.play.items {
		if it.msg.Picture != nil && it.msg.Picture.ID == c.ID {
			it.msg.Picture = &c
			it.touch()
		}
	}
	return a.readPane()
}

// painting is what stands below the last message while a picture of this chat is
// being made: how far it has come, and what can be seen of it already.
func (a *app) painting(w, h int) []string {
	var lines []string
	for _, j := range a.work.running {
		if j.capture == "" || j.op.Type != "capture_send" || j.chat != a.view.Chat.ID {
			continue
		}
		words := progressWords(j)
		if words == "" {
			words = "waiting for ComfyUI"
		}
		lines = append(lines, a.lk.accent.Styled("Scene Capture")+" "+a.lk.dim.Styled(clip(safetext.Line(words), max(1, w-16))))
		if s := a.play.pictures.shown[j.capture]; s != nil && s.img != nil && a.play.pictures.mode != "off" {
			lines = append(lines, a.play.pictures.cellsOf(s, min(w, 48), max(4, h*2/5), a.lk.dark)...)
		}
		lines = append(lines, "")
	}
	return lines
}
