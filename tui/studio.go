package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/pictures"
	"ghostlight/engine/pictures/capture"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	playroom "ghostlight/tui/play"
	"ghostlight/tui/widget"
)

// captureMessage captures the moment at a message.
func (a *app) captureMessage(it *playroom.Item) tea.Cmd {
	return a.startCapture(pictures.CaptureRequest{Kind: imageKind, At: it.Msg.ID})
}

// captureVideo makes a video of the moment; while messages are browsed, of that
// of the chosen one.
func (a *app) captureVideo() tea.Cmd {
	r := pictures.CaptureRequest{Kind: videoKind}
	if it := a.play.Current(); a.mode == keys.Browse && it != nil {
		r.At = it.Msg.ID
	}
	return a.startCapture(r)
}

// kindWords are the kinds of captures as forms offer them.
var kindWords = []string{"picture", "video"}

func kindField() *widget.Field { return widget.PickField("Makes", kindWords[0], kindWords) }

// kindOf is the kind that a field of kindWords says.
func kindOf(f *widget.Field) string {
	if f.Value() == kindWords[1] {
		return videoKind
	}
	return imageKind
}

// mostFocused bounds the names that a form offers.
const mostFocused = 16

// focusNames are those who can stand in the middle: the cast, and the user.
func (a *app) focusNames() []string {
	var out []string
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) && len(out) < mostFocused {
			out = append(out, name)
		}
	}
	add(a.view.Character.Card.CharName())
	if a.casting.chat == a.view.Chat.ID {
		for _, v := range a.casting.List {
			add(v.Name)
		}
	}
	add(a.view.Persona.Name)
	return out
}

// shootForm is a form that asks for captures: what is particular to it first,
// then what they become and who stands in the middle, and a key for the camera.
type shootForm struct {
	studioForm
	a      *app
	camera storage.Camera
	names  []string
	kindAt int
}

// newShoot makes such a form of its own fields.
func (a *app) newShoot(title, foot string, own ...*widget.Field) *shootForm {
	f := &shootForm{a: a, names: a.focusNames(), kindAt: len(own)}
	f.Title, f.Foot = title, foot
	f.Fields = append(own, kindField())
	for _, name := range f.names {
		f.Fields = append(f.Fields, widget.CheckField("focus on "+look.Within(name, 40), false))
	}
	f.Keys = []widget.Extra{{Key: "ctrl+k", Words: "camera", Keep: true, Do: func(widget.Entry) tea.Cmd {
		return a.openCamera(f.camera, func(to storage.Camera) tea.Cmd { f.camera = to; return nil })
	}}}
	f.below = func() []remark { return []remark{f.cameraRemark()} }
	return f
}

func (f *shootForm) cameraRemark() remark {
	words := cameraWords(f.camera)
	if words == "" {
		words = "as each prompt says"
	}
	return remark{label: "Camera      ", text: words + " (^K)"}
}

func (f *shootForm) kindOf() string { return kindOf(f.Fields[f.kindAt]) }

// focused are the names that are ticked.
func (f *shootForm) focused() (out []string) {
	for i, name := range f.names {
		if _, on := f.Fields[f.kindAt+1+i].Check(); on {
			out = append(out, name)
		}
	}
	return out
}

// openRequested asks what is to be seen.
func (a *app) openRequested() tea.Cmd {
	if a.view.Chat.ID == "" {
		return a.Say(event.Info, "there is no chat to capture yet")
	}
	f := a.newShoot("Picture of what?", "enter write the prompt · ^K camera · esc close",
		widget.LineField(a.lk, "Show", "", "the view from the gallery at dusk"))
	f.below = func() []remark {
		return []remark{f.cameraRemark(), {text: "Say what you want to see; the last messages tell the rest."}}
	}
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if text == "" {
			return nil, desk.ErrNeedsText
		}
		return a.startCapture(pictures.CaptureRequest{Kind: f.kindOf(), Requested: text, Camera: f.camera, Focus: f.focused()}), nil
	}
	f.quick = true
	f.Start()
	a.dialogs.Open(f)
	return nil
}

// openAngles asks from which sides the moment is to be seen; while messages are
// browsed, that of the chosen one.
func (a *app) openAngles() tea.Cmd {
	if a.view.Chat.ID == "" {
		return a.Say(event.Info, "there is no chat to capture yet")
	}
	angles := capture.Angles()
	var own []*widget.Field
	for _, p := range angles {
		own = append(own, widget.CheckField(p.Label, slices.Contains(capture.UsualAngles(), p.Key)))
	}
	var at storage.NodeID
	if it := a.play.Current(); a.mode == keys.Browse && it != nil {
		at = it.Msg.ID
	}
	f := a.newShoot("Several angles", "space choose · ^S write the prompts · ^K camera · esc close", own...)
	chosen := func() (out []string) {
		for i, p := range angles {
			if _, on := f.Fields[i].Check(); on {
				out = append(out, p.Key)
			}
		}
		return out
	}
	f.tally = func() (string, bool) { n := len(chosen()); return look.Plural(n, "capture"), n == 0 }
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		keys := chosen()
		if len(keys) == 0 {
			return nil, errors.New("choose an angle, with space")
		}
		return a.beginBatch(f, pictures.BatchRequest{Kind: f.kindOf(), By: storage.ByAngles, At: at, Angles: keys, Camera: f.camera, Focus: f.focused()}), nil
	}
	f.Start()
	a.dialogs.Open(f)
	return nil
}

// mostEvery bounds after how many messages a series takes another capture.
const mostEvery = 10_000

// seriesWords are the ways to go through a chat.
var seriesWords = []string{"one per scene", "one every so many messages"}

// openCaptureSeries asks how the chat is to be gone through.
func (a *app) openCaptureSeries() tea.Cmd {
	if a.view.Chat.ID == "" {
		return a.Say(event.Info, "there is no chat to capture yet")
	}
	f := a.newShoot("Capture series", "←→ choose · ^S write the prompts · ^K camera · esc close",
		widget.PickField("Takes", seriesWords[0], seriesWords), widget.LineField(a.lk, "Messages", "10", "between two captures"))
	request := func() (pictures.BatchRequest, error) {
		r := pictures.BatchRequest{Kind: f.kindOf(), By: storage.ByScenes, Camera: f.camera, Focus: f.focused()}
		if f.Fields[0].Chosen == 0 {
			return r, nil
		}
		n, err := strconv.Atoi(strings.TrimSpace(f.Fields[1].Value()))
		if err != nil || n < 1 || n > mostEvery {
			return r, fmt.Errorf("the messages are a whole number from 1 to %d", mostEvery)
		}
		r.By, r.Every = storage.ByEvery, n
		return r, nil
	}
	f.tally = func() (string, bool) {
		r, err := request()
		if err != nil {
			return "how many messages?", true
		}
		n := a.seriesSize(r)
		return look.Plural(n, "capture"), n == 0
	}
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		r, err := request()
		if err != nil {
			f.Focus(1)
			return nil, err
		}
		if n := a.seriesSize(r); n >= askedFrom {
			return a.askSeries(f, r, n), nil
		}
		return a.beginBatch(f, r), nil
	}
	f.Start()
	a.dialogs.Open(f)
	return nil
}

// askedFrom is how many captures are asked about before they are begun.
const askedFrom = 20

// askSeries asks before many prompts are written.
func (a *app) askSeries(f *shootForm, r pictures.BatchRequest, n int) tea.Cmd {
	a.dialogs.Open(&widget.Confirm{Title: "Many captures", Text: fmt.Sprintf("The model is asked for %s, one after the other. They become drafts; nothing is painted before you send it.", look.Plural(n, "prompt")),
		Choices: []widget.Choice{{Key: "y", Words: "have them written", Do: func() tea.Cmd { return a.beginBatch(f, r) }}, {Key: "n", Words: "not so many", Do: func() tea.Cmd { a.dialogs.Open(f); return nil }}}})
	return nil
}

// seriesSize is how many captures a series makes, as far as is known here.
func (a *app) seriesSize(r pictures.BatchRequest) int {
	scenes, messages := 0, 0
	for _, s := range a.scenes.List {
		if messages += s.Messages; s.Messages > 0 {
			scenes++
		}
	}
	if r.By == storage.ByScenes {
		return scenes
	}
	return messages / max(1, r.Every)
}

// beginBatch has the prompts of several captures written and shows where they
// stand. The dialog that asked for it comes back where that cannot be done.
func (a *app) beginBatch(f *shootForm, r pictures.BatchRequest) tea.Cmd {
	chat := a.view.Chat.ID
	return a.Do(func() func() tea.Cmd {
		b, err := a.eng.Pictures.CaptureBatch(chat, r)
		return func() tea.Cmd {
			if err != nil {
				f.Fault = failure.Words(err)
				if !slices.Contains(a.dialogs.All, widget.Dialog(f)) {
					a.dialogs.Open(f)
				}
				return nil
			}
			cmd := a.Say(event.Info, look.Plural(b.Total, "prompt")+" will be written; each becomes a draft in the gallery")
			if a.paneFor != keys.PaneCaptures {
				cmd = tea.Batch(cmd, a.togglePane(paneCaptures))
			}
			return tea.Batch(cmd, a.Tick())
		}
	})
}
