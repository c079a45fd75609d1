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

// captureScene requests a prompt of the present moment. The preview opens immediately and is filled
// when the prompt is written.
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
				r.host.Open(&widget.Reader{Title: "No capture", Lines: widget.PlainLines(failure.Text(err))})
				return nil
			}
			return tea.Batch(r.showPreview(c, flows), r.host.Work().Tick())
		}
	})
}

// openCapture shows the preview of an existing capture.
func (r *Part) openCapture(c storage.Capture) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		flows := readFlows(r.host.Engine())
		return func() tea.Cmd { return r.showPreview(c, flows) }
	})
}

func (r *Part) showPreview(c storage.Capture, flows []flow) tea.Cmd {
	p := newPreview(r, c, flows)
	r.host.Open(p)
	return tea.Batch(p.scheduleCheck(0), p.reread(), p.askOffers())
}

// reread reads changes of the capture from before the preview received events.
func (p *preview) reread() tea.Cmd {
	if p.c.Status != storage.CapturePrompting {
		return nil
	}
	id := p.c.ID
	return p.part.host.Do(func() func() tea.Cmd {
		c, err := p.part.host.Engine().Pictures.FindCapture(string(id))
		return func() tea.Cmd {
			if err != nil || p.c.Status != storage.CapturePrompting {
				return nil // an event reported it meanwhile
			}
			return p.fill(c)
		}
	})
}

// preview is the dialog for a capture's prompt before it is sent. Nothing is sent without the
// user's key.
type preview struct {
	widget.Form
	part          *Part
	c             storage.Capture
	opened        time.Time
	flows         []flow
	asked         map[string]bool // workflows whose map was offered
	camera        storage.Camera
	cameraChanged bool // the user has changed the camera
	// coming is the unfinished prompt that is being written; before is the field's earlier text.
	coming, before string

	// spare is another text for the prompt, which a key restores: the one before a rewrite, or the
	// one that was written while the user typed.
	spare string
	// redo has the fields at the time of a rewrite. Fields that are unchanged since may be
	// replaced.
	redo map[int]string

	check promptCheck
	// missing maps workflows that are not offered to the reason, as far as it is known.
	missing map[string]string
	// proposed is the workflow that was chosen automatically.
	proposed string
}

const (
	fieldPrompt = iota
	fieldNegative
	fieldWorkflow
	fieldSeed
	fieldSize
	fieldStrength // only if it begins with a picture
)

func newPreview(r *Part, c storage.Capture, flows []flow) *preview {
	p := &preview{part: r, c: c, opened: time.Now(), asked: map[string]bool{}}
	p.Title, p.Verb, p.Cancel = previewTitle(c), "send", p.onClose
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
	p.Below, p.Count = below(p.remarks), p.wordCount
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

// ownKeys returns the actions besides sending.
func (p *preview) ownKeys() []keys.Action {
	return []keys.Action{
		{Name: keys.DialogDraft, Text: "save as a draft", Hint: "draft", Do: p.saveDraft},
		{Name: keys.DialogAgain, Text: "write the prompt again", Hint: "rewrite", Do: p.rewrite},
		{Name: keys.DialogCamera, Hint: "camera", Do: func() tea.Cmd {
			return p.part.openCamera(p.camera, p.changeCamera)
		}},
		{Name: keys.DialogMapping, Text: "input mapping of the workflow", Hint: "mapping", Do: p.openMap,
			Unavailable: func() string { f := p.flow(); return f.noMap() }},
		{Name: keys.DialogBrowse, Text: "choose a workflow", Do: keys.Does(func() { p.openFlows() })},
		{Name: keys.DialogSwap, Text: "other version of the prompt", Hint: "other version",
			Visible: func() bool { return p.spare != "" }, Do: p.swapPrompt},
		{Name: keys.Continuity, Text: "continuity sheet", Hint: "continuity",
			Do: func() tea.Cmd { return p.part.openFacts(p.c.Chat) }},
		{Name: keys.DialogNotes, Text: "all notes", Hint: "notes", Do: p.openNotes},
		{Name: keys.DialogEditor, Text: "edit the prompt in $EDITOR", Hint: "editor", Do: func() tea.Cmd {
			in := p.Fields[fieldPrompt].Input
			return p.part.host.EditText(in.Value(), func(text string) tea.Cmd {
				in.Area.SetValue(text)
				return p.scheduleCheck(0)
			})
		}},
	}
}

// takeFlows offers the workflows, those of the capture's kind first.
func (p *preview) takeFlows(flows []flow) {
	chosen := p.Fields[fieldWorkflow].Value()
	if chosen == "" {
		chosen = p.c.Workflow
	}
	if chosen == p.proposed && p.missing[chosen] != "" {
		chosen = "" // it was not chosen by the user, and it cannot paint
	}
	own := chosen
	if i := slices.IndexFunc(flows, func(f flow) bool { return f.usedLast && p.rank(f) == 0 }); chosen == "" && i >= 0 {
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

// rank returns the position of a workflow in the list, by how well it fits.
func (p *preview) rank(f flow) int {
	switch kind := p.c.Kind; {
	case p.missing[f.name] != "":
		return 3
	case f.kind == kind || kind == "" && f.kind == imageKind:
		return 0
	case f.fault != "":
		return 2
	}
	return 1
}

// flow returns the chosen workflow.
func (p *preview) flow() flow {
	if i := p.Fields[fieldWorkflow].Chosen; i < len(p.flows) {
		return p.flows[i]
	}
	return flow{}
}

// fill updates the preview from the capture and keeps what the user has typed.
func (p *preview) fill(c storage.Capture) tea.Cmd {
	p.c = c
	if c.Status == storage.CapturePrompting {
		return nil
	}
	p.settle()
	if !p.cameraChanged {
		p.camera = c.Camera
	}
	if c.Status != storage.CaptureFailed || draw.Blank(p.Fields[fieldPrompt].Value()) {
		if in := p.Fields[fieldPrompt].Input; p.take(fieldPrompt, promptOf(c)) && p.cameraChanged {
			p.setCamera(c.Camera, p.camera)
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
	return p.scheduleCheck(0)
}

// write shows the unfinished prompt. If the user has typed, the prompt waits until it is complete.
func (p *preview) write(text string) {
	in := p.Fields[fieldPrompt].Input
	untouched := in.Value() == p.coming || p.coming == "" &&
		(draw.Blank(in.Value()) || p.redo != nil && p.redo[fieldPrompt] == in.Value() && !in.Changed())
	if p.c.Status != storage.CapturePrompting || text == "" || p.cameraChanged || !untouched {
		return
	}
	if p.coming == "" {
		p.before = in.Value()
	}
	p.coming = text
	in.Set(text)
}

// settle ends the display of an unfinished prompt.
func (p *preview) settle() {
	if in := p.Fields[fieldPrompt].Input; p.coming != "" && in.Value() == p.coming {
		in.Set(p.before) // the complete prompt replaces it
	}
	p.coming, p.before = "", ""
}

// take sets a field unless the user has edited it, and reports whether it did. A prompt that was
// not set can be restored by a key.
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

// edit returns the values of the fields, or an error for an invalid one.
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
		return nil, fmt.Errorf("confirm the input mapping of %s first", draw.Truncate(f.name, 40))
	}
	p.part.host.Run(keys.Last) // where the picture will appear
	id, away := p.c.ID, p.isOffline()
	return p.part.host.Do(func() func() tea.Cmd {
		c, err := p.part.host.Engine().Pictures.SendCapture(id, e)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return p.showFault(err)
			case c.Waiting || away:
				return p.part.host.Say(event.Warning, "ComfyUI is offline: saved as a draft. "+
					pane.PathTo(p.part.host, keys.SendDrafts)+" sends it when ComfyUI is back")
			}
			return nil
		}
	}), nil
}

// showFault opens the preview again with an error, because its values are stored nowhere else.
func (p *preview) showFault(err error) tea.Cmd {
	p.Fault = failure.Text(err)
	if !slices.Contains(p.part.host.Dialogs().All, widget.Dialog(p)) {
		p.part.host.Open(p)
	}
	return nil
}

func (p *preview) saveDraft() tea.Cmd {
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
				return p.showFault(err)
			}
			return p.part.host.Say(event.Info, "saved as a draft in the gallery")
		}
	})
}

// rewrite asks for another prompt. It may replace the current values of the fields, but not later
// edits.
func (p *preview) rewrite() tea.Cmd {
	id, before, camera := p.c.ID, p.c.Status, p.camera
	p.redo = map[int]string{fieldPrompt: p.Fields[fieldPrompt].Value(), fieldNegative: p.Fields[fieldNegative].Value()}
	p.c.Status, p.coming = storage.CapturePrompting, ""
	return p.part.host.Do(func() func() tea.Cmd {
		err := p.part.host.Engine().Pictures.RedoForCamera(id, camera)
		return func() tea.Cmd {
			if err != nil {
				p.c.Status, p.redo = before, nil
				return p.showFault(err)
			}
			return p.part.host.Work().Tick()
		}
	})
}

// swapPrompt swaps the prompt with the spare one.
func (p *preview) swapPrompt() tea.Cmd {
	in := p.Fields[fieldPrompt].Input
	old := in.Value()
	in.Area.SetValue(p.spare)
	in.Area.MoveToBegin()
	p.spare = old
	return p.scheduleCheck(0)
}

// changeCamera sets another camera: its phrases are in the prompt, and a remark says that the rest
// was written for the old one.
func (p *preview) changeCamera(to storage.Camera) tea.Cmd {
	in := p.Fields[fieldPrompt].Input
	own := in.Changed()
	p.setCamera(p.camera, to)
	if p.c.Status == storage.CapturePrompting && !own {
		in.Clean = in.Value() // the pending prompt replaces it
	}
	p.camera, p.cameraChanged = to, true
	return p.scheduleCheck(0)
}

// setCamera replaces the phrases of a camera in the prompt.
func (p *preview) setCamera(from, to storage.Camera) {
	in := p.Fields[fieldPrompt].Input
	if now := capture.ChangeCamera(in.Value(), from, to); now != in.Value() {
		in.Area.SetValue(now)
	}
}

// Handle implements widget.Dialog: typing in the workflow field filters the list.
func (p *preview) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if k, ok := msg.(tea.KeyPressMsg); ok && p.At == fieldWorkflow && strings.TrimSpace(k.Text) != "" {
		p.openFlows().Handle(k)
		return nil, false
	}
	cmd, done := p.Form.Handle(msg)
	return tea.Batch(cmd, p.scheduleCheck(checkDelay)), done
}

// onClose notifies the user what happens to an unsent capture.
func (p *preview) onClose() tea.Cmd {
	switch id := p.c.ID; p.c.Status {
	case storage.CapturePrompting:
		return pane.Tell(p.part.host, "prompt not written; an empty draft is kept in the gallery", func() error {
			return p.part.host.Engine().Pictures.CancelCapture(id)
		})
	case storage.CaptureDraft: // nothing else shows that closing keeps it
		return p.part.host.Say(event.Info, "not sent; kept as a draft in the gallery")
	}
	return nil
}
