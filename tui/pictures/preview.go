package pictures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// captureScene asks for a picture's prompt of the present moment; the preview
// opens at once and fills when the prompt is there.
func (r *Part) captureScene() tea.Cmd {
	return r.startCapture(pictures.CaptureRequest{Kind: imageKind})
}

// What captures become.
const (
	imageKind = string(capture.Image)
	videoKind = string(capture.Video)
)

func (r *Part) startCapture(ask pictures.CaptureRequest) tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.host.Do(func() func() tea.Cmd {
		c, err := r.host.Engine().Pictures.Capture(chat, ask)
		flows := readFlows(r.host.Engine())
		return func() tea.Cmd {
			if err != nil {
				r.host.Open(&widget.Reader{Title: "No capture", Lines: widget.PlainLines(failure.Words(err))})
				return nil
			}
			return tea.Batch(r.showPreview(c, flows), r.host.Work().Tick())
		}
	})
}

// openCapture shows the preview of a capture that is there already.
func (r *Part) openCapture(c storage.Capture) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		flows := readFlows(r.host.Engine())
		return func() tea.Cmd { return r.showPreview(c, flows) }
	})
}

func (r *Part) showPreview(c storage.Capture, flows []flow) tea.Cmd {
	p := newPreview(r, c, flows)
	r.host.Open(p)
	return tea.Batch(p.recheck(0), p.reread(), p.askOffers())
}

// reread takes what has become of the capture before the preview was open to be
// told of it.
func (p *preview) reread() tea.Cmd {
	if p.c.Status != storage.CapturePrompting {
		return nil
	}
	id := p.c.ID
	return p.part.host.Do(func() func() tea.Cmd {
		c, err := p.part.host.Engine().Pictures.FindCapture(string(id))
		return func() tea.Cmd {
			if err != nil || p.c.Status != storage.CapturePrompting {
				return nil // it was told of meanwhile
			}
			return p.fill(c)
		}
	})
}

// preview is the dialog between a capture's prompt and its sending. Nothing is
// sent without the user's key.
type preview struct {
	widget.Form
	part   *Part
	c      storage.Capture
	opened time.Time
	flows  []flow
	asked  map[string]bool // workflows whose map was offered
	camera storage.Camera
	turned bool // the user has changed the camera
	// coming is what is there already of a prompt that is being written, before what the
	// field said until then.
	coming, before string

	// spare is another text for the prompt, which a key brings back: what a
	// rewriting replaced, or what was written while the user wrote.
	spare string
	// redo holds what the fields said when another prompt was asked for. Until
	// the user writes more, that is what may be replaced.
	redo map[int]string

	check check
	// lacks is what keeps workflows from being offered, as far as it is known.
	lacks map[string]string
	// proposed is the workflow that was chosen while the user had chosen none.
	proposed string
}

const (
	fieldPrompt = iota
	fieldNegative
	fieldWorkflow
	fieldSeed
	fieldSize
	fieldStrength // only where it begins with a picture
)

func newPreview(r *Part, c storage.Capture, flows []flow) *preview {
	p := &preview{part: r, c: c, opened: time.Now(), asked: map[string]bool{}}
	p.Title, p.Verb, p.Cancel = previewTitle(c), "send", p.left
	p.Fields = []*widget.Field{
		widget.TextField(r.host.Styles(), "Prompt", "", 9),
		widget.TextField(r.host.Styles(), "Negative prompt", "", 2),
		widget.PickField("Workflow", "", []string{""}),
		widget.LineField(r.host.Styles(), "Seed", "", "random"),
		widget.LineField(r.host.Styles(), "Size", "", "Workflow default"),
	}
	if c.Start != nil {
		p.Fields = append(p.Fields, widget.LineField(r.host.Styles(), "Strength", "", "0 to 1: how much may change"))
	}
	p.takeFlows(flows)
	p.Below, p.Count = below(p.remarks), p.words
	p.Save = func(*widget.Form) (tea.Cmd, error) { return p.send() }
	p.Keys = p.ownKeys()
	p.fill(c)
	p.Start()
	return p
}

func previewTitle(c storage.Capture) string {
	video := c.Kind == videoKind
	switch {
	case c.Requested != "" && video:
		return "✦ Video: " + safetext.Line(c.Requested)
	case c.Requested != "":
		return "✦ Picture: " + safetext.Line(c.Requested)
	case video:
		return "✦ Scene Video"
	}
	return "✦ Scene Capture"
}

// ownKeys are what keys do beside sending.
func (p *preview) ownKeys() []keys.Action {
	return []keys.Action{
		{Name: keys.DialogDraft, Words: "save as a draft", Hint: "draft", Do: p.keep},
		{Name: keys.DialogAgain, Words: "write the prompt again", Hint: "rewrite", Do: p.rewrite},
		{Name: keys.DialogCamera, Hint: "camera", Do: func() tea.Cmd { return p.part.openCamera(p.camera, p.turn) }},
		{Name: keys.DialogMapping, Words: "input mapping of the workflow", Hint: "mapping", Do: p.openMap,
			When: func() string { f := p.flow(); return f.noMap() }},
		{Name: keys.DialogBrowse, Words: "choose a workflow", Do: keys.Does(func() { p.openFlows() })},
		{Name: keys.DialogSwap, Words: "other version of the prompt", Hint: "other version",
			Here: func() bool { return p.spare != "" }, Do: p.swap},
		{Name: keys.Continuity, Words: "continuity sheet", Hint: "continuity",
			Do: func() tea.Cmd { return p.part.openFacts(p.c.Chat) }},
		{Name: keys.DialogNotes, Words: "all notes", Hint: "notes", Do: p.openNotes},
		{Name: keys.DialogEditor, Words: "edit the prompt in $EDITOR", Hint: "editor", Do: func() tea.Cmd {
			in := p.Fields[fieldPrompt].Input
			return p.part.host.EditText(in.Value(), func(text string) tea.Cmd {
				in.Area.SetValue(text)
				return p.recheck(0)
			})
		}},
	}
}

// takeFlows offers the workflows, those that make what the capture is first.
func (p *preview) takeFlows(flows []flow) {
	chosen := p.Fields[fieldWorkflow].Value()
	if chosen == "" {
		chosen = p.c.Workflow
	}
	if chosen == p.proposed && p.lacks[chosen] != "" {
		chosen = "" // nobody chose it, and it cannot paint
	}
	own := chosen
	if i := slices.IndexFunc(flows, func(f flow) bool { return f.last && p.rank(f) == 0 }); chosen == "" && i >= 0 {
		chosen = flows[i].name
	}
	flows = slices.Clone(flows)
	slices.SortStableFunc(flows, func(x, y flow) int { return p.rank(x) - p.rank(y) })
	if chosen != "" && !slices.ContainsFunc(flows, func(f flow) bool { return f.name == chosen }) {
		flows = append(flows, flow{name: chosen, fault: "workflow not found"})
	}
	if chosen == "" && len(flows) > 0 {
		chosen = flows[0].name
	}
	if own == "" {
		p.proposed = chosen
	}
	var names []string
	for _, f := range flows {
		names = append(names, f.name)
	}
	if len(names) == 0 {
		names = []string{""}
	}
	p.flows = flows
	p.Fields[fieldWorkflow] = widget.PickField("Workflow", chosen, names)
}

// rank is the place of a workflow in the list, by how well it fits.
func (p *preview) rank(f flow) int {
	switch kind := p.c.Kind; {
	case p.lacks[f.name] != "":
		return 3
	case f.kind == kind || kind == "" && f.kind == imageKind:
		return 0
	case f.fault != "":
		return 2
	}
	return 1
}

// flow is the workflow that is chosen.
func (p *preview) flow() flow {
	if i := p.Fields[fieldWorkflow].Chosen; i < len(p.flows) {
		return p.flows[i]
	}
	return flow{}
}

// fill takes what is now known of the capture; what the user has typed stays.
func (p *preview) fill(c storage.Capture) tea.Cmd {
	p.c = c
	if c.Status == storage.CapturePrompting {
		return nil
	}
	p.settle()
	if !p.turned {
		p.camera = c.Camera
	}
	if c.Status != storage.CaptureFailed || draw.Blank(p.Fields[fieldPrompt].Value()) {
		if in := p.Fields[fieldPrompt].Input; p.take(fieldPrompt, promptOf(c)) && p.turned {
			p.turnTo(c.Camera, p.camera)
			in.Area.MoveToBegin()
		}
		p.take(fieldNegative, c.NegativePrompt)
		p.redo = nil
	}
	if c.Seed != nil {
		p.take(fieldSeed, strconv.FormatInt(*c.Seed, 10))
	}
	if c.Start != nil && len(p.Fields) > fieldStrength {
		p.take(fieldStrength, strconv.FormatFloat(c.Start.Strength, 'g', 3, 64))
	}
	if c.Width > 0 {
		p.take(fieldSize, fmt.Sprintf("%dx%d", c.Width, c.Height))
	}
	return p.recheck(0)
}

// write shows what has been written so far of a prompt. What the user types stays: the
// prompt then waits until it is whole.
func (p *preview) write(text string) {
	in := p.Fields[fieldPrompt].Input
	untouched := in.Value() == p.coming || p.coming == "" && (draw.Blank(in.Value()) || p.redo != nil && p.redo[fieldPrompt] == in.Value() && !in.Changed())
	if p.c.Status != storage.CapturePrompting || text == "" || p.turned || !untouched {
		return
	}
	if p.coming == "" {
		p.before = in.Value()
	}
	p.coming = text
	in.Set(text)
}

// settle ends the showing of a prompt that was being written.
func (p *preview) settle() {
	if in := p.Fields[fieldPrompt].Input; p.coming != "" && in.Value() == p.coming {
		in.Set(p.before) // what is whole takes its place
	}
	p.coming, p.before = "", ""
}

// take puts a text into a field unless the user has written there, and tells
// whether it did. A prompt that finds no place waits for the key that brings it.
func (p *preview) take(i int, text string) bool {
	in := p.Fields[i].Input
	if text == in.Value() {
		in.Clean = in.Value()
		return false
	}
	old, asked := p.redo[i]
	if in.Changed() && (!asked || old != in.Value()) {
		if i == fieldPrompt && text != in.Clean {
			p.spare = text
		}
		return false
	}
	if i == fieldPrompt && asked && !draw.Blank(in.Value()) {
		p.spare = in.Value()
	}
	in.Set(text)
	in.Area.MoveToBegin()
	return true
}

// edit is what the fields say, or what is wrong with them.
func (p *preview) edit() (pictures.CaptureEdit, error) {
	e := pictures.CaptureEdit{ImagePrompt: strings.TrimSpace(p.Fields[fieldPrompt].Value()), Camera: p.camera,
		NegativePrompt: strings.TrimSpace(p.Fields[fieldNegative].Value()), Workflow: p.Fields[fieldWorkflow].Value()}
	set := map[string]int{"seed": fieldSeed}
	if len(p.Fields) > fieldStrength {
		set["strength"] = fieldStrength
	}
	for name, i := range set {
		if err := pictures.EditFields.Set(&e, name, p.Fields[i].Value()); err != nil {
			return e, err
		}
	}
	var err error
	e.Width, e.Height, err = pictures.ParseSize(p.Fields[fieldSize].Value())
	return e, err
}

func (p *preview) send() (tea.Cmd, error) {
	e, err := p.edit()
	if err != nil {
		return nil, err
	}
	if e.ImagePrompt == "" {
		return nil, fmt.Errorf("no prompt yet")
	}
	if f := p.flow(); f.uncertain() && !p.asked[f.name] {
		p.openMap()
		return nil, fmt.Errorf("confirm the input mapping of %s first", draw.Within(f.name, 40))
	}
	p.part.host.Run(keys.Last) // where the picture will appear
	id, away := p.c.ID, p.away()
	return p.part.host.Do(func() func() tea.Cmd {
		c, err := p.part.host.Engine().Pictures.SendCapture(id, e)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return p.refused(err)
			case c.Waiting || away:
				return p.part.host.Say(event.Warning, "ComfyUI is offline: saved as a draft. "+pane.PathTo(p.part.host, keys.SendDrafts)+" sends it when ComfyUI is back")
			}
			return nil
		}
	}), nil
}

// refused opens the preview again with what went wrong: what it says is kept
// nowhere else.
func (p *preview) refused(err error) tea.Cmd {
	p.Fault = failure.Words(err)
	if !slices.Contains(p.part.host.Dialogs().All, widget.Dialog(p)) {
		p.part.host.Open(p)
	}
	return nil
}

func (p *preview) keep() tea.Cmd {
	e, err := p.edit()
	if err != nil {
		p.Fault = err.Error()
		return nil
	}
	p.Close()
	id := p.c.ID
	return p.part.host.Do(func() func() tea.Cmd {
		err := p.part.host.Engine().Pictures.SaveCapture(id, e)
		return func() tea.Cmd {
			if err != nil {
				return p.refused(err)
			}
			return p.part.host.Say(event.Info, "saved as a draft in the gallery")
		}
	})
}

// rewrite asks for another prompt. What stands in the fields now may be replaced
// by it; what is written meanwhile may not.
func (p *preview) rewrite() tea.Cmd {
	id, before, camera := p.c.ID, p.c.Status, p.camera
	p.redo = map[int]string{fieldPrompt: p.Fields[fieldPrompt].Value(), fieldNegative: p.Fields[fieldNegative].Value()}
	p.c.Status, p.coming = storage.CapturePrompting, ""
	return p.part.host.Do(func() func() tea.Cmd {
		err := p.part.host.Engine().Pictures.RedoForCamera(id, camera)
		return func() tea.Cmd {
			if err != nil {
				p.c.Status, p.redo = before, nil
				return p.refused(err)
			}
			return p.part.host.Work().Tick()
		}
	})
}

// swap brings the other text of the prompt.
func (p *preview) swap() tea.Cmd {
	in := p.Fields[fieldPrompt].Input
	old := in.Value()
	in.Area.SetValue(p.spare)
	in.Area.MoveToBegin()
	p.spare = old
	return p.recheck(0)
}

// turn takes another camera: its phrases stand in the prompt, and a remark says that the rest was
// written for another one.
func (p *preview) turn(to storage.Camera) tea.Cmd {
	in := p.Fields[fieldPrompt].Input
	own := in.Changed()
	p.turnTo(p.camera, to)
	if p.c.Status == storage.CapturePrompting && !own {
		in.Clean = in.Value() // the prompt that is on its way takes its place
	}
	p.camera, p.turned = to, true
	return p.recheck(0)
}

// turnTo puts the phrases of another camera into the prompt.
func (p *preview) turnTo(from, to storage.Camera) {
	in := p.Fields[fieldPrompt].Input
	if now := capture.Turn(in.Value(), from, to); now != in.Value() {
		in.Area.SetValue(now)
	}
}

// Handle implements widget.Dialog: what is typed at the workflow narrows the list of them.
func (p *preview) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if k, ok := msg.(tea.KeyPressMsg); ok && p.At == fieldWorkflow && strings.TrimSpace(k.Text) != "" {
		p.openFlows().Handle(k)
		return nil, false
	}
	cmd, done := p.Form.Handle(msg)
	return tea.Batch(cmd, p.recheck(checkDelay)), done
}

// left says what becomes of a capture that was not sent.
func (p *preview) left() tea.Cmd {
	switch id := p.c.ID; p.c.Status {
	case storage.CapturePrompting:
		return pane.Tell(p.part.host, "prompt not written; an empty draft is kept in the gallery", func() error {
			return p.part.host.Engine().Pictures.CancelCapture(id)
		})
	case storage.CaptureDraft: // nothing tells otherwise that closing does not throw it away
		return p.part.host.Say(event.Info, "not sent; kept as a draft in the gallery")
	}
	return nil
}
