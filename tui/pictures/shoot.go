package pictures

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// captureMessage captures the moment at a message.
func (r *Part) captureMessage(m chats.Message) tea.Cmd {
	return r.startCapture(pictures.CaptureRequest{Kind: imageKind, At: m.ID})
}

// captureVideo captures a video of the moment, or of the selected message's.
func (r *Part) captureVideo() tea.Cmd {
	return r.startCapture(pictures.CaptureRequest{Kind: videoKind, At: r.chosenMessage()})
}

// chosenMessage returns the selected message while browsing, else "".
func (r *Part) chosenMessage() storage.NodeID {
	if m, ok := r.host.Play().Selected(); ok && r.host.Mode() == keys.Browse {
		return m.ID
	}
	return ""
}

// kindLabels are the kinds of captures in forms.
var kindLabels = []string{"picture", "video"}

func kindField() *widget.Field { return widget.PickField("Makes", kindLabels[0], kindLabels) }

// kindOf returns the kind in a field of kindLabels.
func kindOf(f *widget.Field) string {
	if f.Value() == kindLabels[1] {
		return videoKind
	}
	return imageKind
}

// maxFocused limits the names in a form.
const maxFocused = 16

// focusNames returns who can be the focus: the cast and the user.
func (r *Part) focusNames() []string {
	var out []string
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) && len(out) < maxFocused {
			out = append(out, name)
		}
	}
	add(r.host.Play().Chat().Character.Card.CharName())
	for _, name := range r.play.CastNames() {
		add(name)
	}
	add(r.host.Play().Chat().Persona.Name)
	return out
}

// captureForm is a form for captures: its own fields, then the kind and the focus, and a key for
// the camera.
type captureForm struct {
	widget.Form
	part   *Part
	camera storage.Camera
	names  []string
	kindAt int
}

// newCaptureForm returns a form with its own fields first.
func (r *Part) newCaptureForm(title, verb string, own ...*widget.Field) *captureForm {
	f := &captureForm{part: r, names: r.focusNames(), kindAt: len(own)}
	f.Title, f.Verb = title, verb
	f.Fields = append(own, kindField())
	for _, name := range f.names {
		f.Fields = append(f.Fields, widget.CheckField("focus on "+draw.Truncate(name, 40), false))
	}
	f.Keys = []keys.Action{{Name: keys.DialogCamera, Hint: "camera", Do: func() tea.Cmd {
		return r.openCamera(f.camera, func(to storage.Camera) tea.Cmd { f.camera = to; return nil })
	}}}
	f.Below = below(func() []remark { return []remark{f.cameraRemark()} })
	return f
}

func (f *captureForm) cameraRemark() remark {
	words := cameraText(f.camera)
	if words == "" {
		words = "set by each prompt"
	}
	return remark{label: "Camera      ", text: words}
}

func (f *captureForm) kindOf() string { return kindOf(f.Fields[f.kindAt]) }

// focused returns the checked names.
func (f *captureForm) focused() (out []string) {
	for i, name := range f.names {
		if _, on := f.Fields[f.kindAt+1+i].Check(); on {
			out = append(out, name)
		}
	}
	return out
}

// openRequested asks what to show.
func (r *Part) openRequested() tea.Cmd {
	if r.host.Play().Chat().Chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	f := r.newCaptureForm("Picture of what?", "write the prompt",
		widget.LineField(r.host.Styles(), "Show", "", "the view from the balcony at dusk"))
	f.Below = below(func() []remark {
		return []remark{f.cameraRemark(), {text: "Describe the picture; the rest comes from the last messages."}}
	})
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if text == "" {
			return nil, pane.ErrNeedsText
		}
		return r.startCapture(pictures.CaptureRequest{Kind: f.kindOf(), Requested: text, Camera: f.camera,
			Focus: f.focused()}), nil
	}
	f.Quick = true
	f.Start()
	r.host.Open(f)
	return nil
}

// openAngles asks for the angles of the moment, or of the selected message's.
func (r *Part) openAngles() tea.Cmd {
	if r.host.Play().Chat().Chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	angles := capture.Angles()
	var own []*widget.Field
	for _, p := range angles {
		own = append(own, widget.CheckField(p.Label, slices.Contains(capture.DefaultAngles(), p.Key)))
	}
	own = append(own, togetherFields()...)
	at := r.chosenMessage()
	f := r.newCaptureForm("Several angles", "write the prompts", own...)
	chosen := func() (out []string) {
		for i, p := range angles {
			if _, on := f.Fields[i].Check(); on {
				out = append(out, p.Key)
			}
		}
		return out
	}
	f.Count = func() (string, bool) { n := len(chosen()); return draw.Plural(n, "capture"), n == 0 }
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		sides := chosen()
		if len(sides) == 0 {
			return nil, errors.New("select an angle")
		}
		ask := pictures.BatchRequest{Kind: f.kindOf(), By: storage.ByAngles, At: at, Angles: sides,
			Camera: f.camera, Focus: f.focused()}
		ask.OneSeed, ask.Keep = batchOptions(f.Fields[len(angles):])
		return r.beginBatch(f, ask), nil
	}
	f.Start()
	r.host.Open(f)
	return nil
}

// togetherFields returns the fields for what the pictures of a batch share.
func togetherFields() []*widget.Field {
	return []*widget.Field{widget.CheckField("same seed for all", false),
		widget.CheckField("keep place and people of the first picture", false)}
}

// batchOptions returns the values of togetherFields.
func batchOptions(fields []*widget.Field) (oneSeed, keep bool) {
	_, oneSeed = fields[0].Check()
	_, keep = fields[1].Check()
	return oneSeed, keep
}

// maxInterval limits the number of messages between the captures of a series.
const maxInterval = 10_000

// seriesLabels are the kinds of series.
var seriesLabels = []string{"one per scene", "one every N messages"}

// openCaptureSeries asks for the kind of series.
func (r *Part) openCaptureSeries() tea.Cmd {
	if r.host.Play().Chat().Chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	f := r.newCaptureForm("Capture series", "write the prompts",
		append([]*widget.Field{widget.PickField("Captures", seriesLabels[0], seriesLabels),
			widget.LineField(r.host.Styles(), "Messages", "10", "between two captures")}, togetherFields()...)...)
	request := func() (pictures.BatchRequest, error) {
		ask := pictures.BatchRequest{Kind: f.kindOf(), By: storage.ByScenes, Camera: f.camera, Focus: f.focused()}
		ask.OneSeed, ask.Keep = batchOptions(f.Fields[2:])
		if f.Fields[0].Chosen == 0 {
			return ask, nil
		}
		n, err := strconv.Atoi(strings.TrimSpace(f.Fields[1].Value()))
		if err != nil || n < 1 || n > maxInterval {
			return ask, fmt.Errorf("enter a whole number of messages from 1 to %d", maxInterval)
		}
		ask.By, ask.Every = storage.ByEvery, n
		return ask, nil
	}
	f.Count = func() (string, bool) {
		ask, err := request()
		if err != nil {
			return "how many messages?", true
		}
		n := r.seriesSize(ask)
		return draw.Plural(n, "capture"), n == 0
	}
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		ask, err := request()
		if err != nil {
			f.Focus(1)
			return nil, err
		}
		if n := r.seriesSize(ask); n >= confirmFrom {
			return r.askSeries(f, ask, n), nil
		}
		return r.beginBatch(f, ask), nil
	}
	f.Start()
	r.host.Open(f)
	return nil
}

// confirmFrom is the number of captures from which a series is confirmed.
const confirmFrom = 20

// askSeries asks for confirmation before many prompts are written.
func (r *Part) askSeries(f *captureForm, ask pictures.BatchRequest, n int) tea.Cmd {
	r.host.Open(&widget.Confirm{Title: "Many captures",
		Text: fmt.Sprintf("The model writes %s, one after the other. They are saved as drafts; nothing is sent to "+
			"ComfyUI until you send it.", draw.Plural(n, "prompt")),
		Choices: []widget.Choice{{Key: "y", Words: "write them", Do: func() tea.Cmd { return r.beginBatch(f, ask) }},
			{Key: "n", Words: "not now", Do: func() tea.Cmd { r.host.Open(f); return nil }}}})
	return nil
}

// seriesSize returns the number of captures of a series, as far as it is known.
func (r *Part) seriesSize(ask pictures.BatchRequest) int {
	scenes, messages := 0, 0
	for _, s := range r.host.Play().Scenes().List {
		if messages += s.Messages; s.Messages > 0 {
			scenes++
		}
	}
	if ask.By == storage.ByScenes {
		return scenes
	}
	return messages / max(1, ask.Every)
}

// beginBatch queues the prompts of several captures and shows them. On an error it opens the dialog
// again.
func (r *Part) beginBatch(f *captureForm, ask pictures.BatchRequest) tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	return r.host.Do(func() func() tea.Cmd {
		b, err := r.host.Engine().Pictures.CaptureBatch(chat, ask)
		return func() tea.Cmd {
			if err != nil {
				f.Fault = failure.Text(err)
				if !slices.Contains(r.host.Dialogs().All, widget.Dialog(f)) {
					r.host.Open(f)
				}
				return nil
			}
			cmd := r.host.Say(event.Info, draw.Plural(b.Total, "prompt")+
				" will be written and saved as drafts in the gallery")
			if r.gallery() == nil {
				cmd = tea.Batch(cmd, r.toggleGallery())
			}
			return tea.Batch(cmd, r.host.Work().Tick())
		}
	})
}
