package pane

import (
	"errors"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Explain shows the reason why something was not done in a dialog, because on a small screen
// another dialog may hide the status line.
func Explain(d Host, title string, err error) tea.Cmd {
	d.Log().Warn("shown to the user", "err", err)
	d.Open(&widget.Reader{Title: title, Lines: widget.PlainLines(failure.Text(err))})
	return nil
}

// MaxTypedLen is the maximum length of a content, in bytes, that can be edited in a form. A form
// with a longer one would react to keys too slowly.
const MaxTypedLen = 64 << 10

// TooLong returns the reason why a text is too long to be edited in a form, "" if it is not.
func TooLong(text string) string {
	if len(text) <= MaxTypedLen {
		return ""
	}
	return "its text of " + draw.Size(int64(len(text))) + " is too long to edit here"
}

// SavingForm is a form that stays open until its values are stored. Values that could not be stored
// stay in it, with the reason.
type SavingForm struct {
	widget.Form
	Host      Host
	Busy      bool
	BusyWords string // while it is being stored
}

// NewSavingForm makes a form of f. keep receives its fields on the screen's goroutine and returns a
// function that stores them elsewhere. That returns the function to run afterwards.
func NewSavingForm(d Host, f widget.Form,
	keep func(f *widget.Form) (func() (func() tea.Cmd, error), error)) *SavingForm {
	k := &SavingForm{Form: f, Host: d, BusyWords: "saving …"}
	k.Save = func(f *widget.Form) (tea.Cmd, error) {
		store, err := keep(f)
		if err != nil || store == nil {
			return nil, err
		}
		k.Busy = true
		return d.Do(func() func() tea.Cmd {
			then, err := store()
			return func() tea.Cmd {
				k.Busy = false
				if err != nil {
					k.Fault = failure.Text(err)
					return nil
				}
				k.Close()
				if then == nil {
					return nil
				}
				return then()
			}
		}), errors.New(k.BusyWords)
	}
	k.Start()
	return k
}

// Actions implements widget.Dialog. What is being stored must not change meanwhile.
func (k *SavingForm) Actions() []keys.Action {
	list := k.Form.Actions()
	for i := range list {
		if list[i].Name != keys.DialogClose {
			list[i] = keys.When(k.ready, list[i])[0]
		}
	}
	return list
}

func (k *SavingForm) ready() bool { return !k.Busy }

// Handle implements widget.Dialog.
func (k *SavingForm) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if k.Busy {
		return nil, false
	}
	return k.Form.Handle(msg)
}

// Draw shows an error that is longer than its line above the fields, if there is room.
func (k *SavingForm) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	notes, fault := k.Notes, k.Fault
	w := min(100, screen.Dx()) - 4
	if whole := draw.Wrap("! "+fault, w); ansi.StringWidth(fault) > w {
		need := 3 + len(whole) + len(notes)
		for _, fd := range k.Fields {
			need += fd.PreferredRows(w) + fd.Head()
		}
		if need <= screen.Dy() {
			k.Notes, k.Fault = append(whole, notes...), ""
		}
	}
	cur := k.Form.Draw(buf, screen, sty)
	k.Notes, k.Fault = notes, fault
	return cur
}

// Tell runs a use case away from the screen's goroutine, and shows words when it is done.
func Tell(d Host, words string, work func() error) tea.Cmd {
	return d.Do(func() func() tea.Cmd {
		err := work()
		return func() tea.Cmd {
			if err != nil {
				return d.Fail(err)
			}
			return d.Say(event.Info, words)
		}
	})
}

// EditorKey lets the user edit a form's text in the external editor.
func EditorKey(d Host, f *widget.Form, in *widget.Input) {
	f.Keys = append(f.Keys, keys.Action{Name: keys.DialogEditor, Hint: "$EDITOR", Do: func() tea.Cmd {
		return d.EditText(in.Value(), func(text string) tea.Cmd {
			in.Area.SetValue(text)
			return nil
		})
	}})
}
