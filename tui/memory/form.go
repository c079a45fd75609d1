package memory

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// form is the form of one thing. Its text is the second field.
type form struct {
	title  string
	texts  []string // that can be edited only up to a length
	fields []*widget.Field
	// take makes of the fields what stores them elsewhere, nil where nothing was
	// changed.
	take func(f *widget.Form) (store func() (saved, error), err error)
}

// saved is a thing that was stored.
type saved struct {
	key, text string
	known     bool // there was the same already
	back      func() error
}

// openForm opens the form of a thing; nil is for a new one.
func (v *list[T]) openForm(x *T) tea.Cmd {
	ed, refused := v.form(v, x)
	if refused != "" {
		return v.Host.Say(event.Info, refused)
	}
	for _, text := range ed.texts {
		if words := pane.TooLong(text); words != "" {
			return v.Host.Say(event.Warning, words)
		}
	}
	f := widget.Form{Title: ed.title, Fields: ed.fields}
	pane.EditorKey(v.Host, &f, f.Fields[1].Input)
	k := pane.NewKeptForm(v.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		store, err := ed.take(f)
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			if store == nil {
				return nil, nil
			}
			got, err := store()
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd { return v.stored(got) }, nil
		}, nil
	})
	k.Focus(1)
	v.Host.Open(k)
	return nil
}

// stored chooses what was stored, and says so.
func (v *list[T]) stored(got saved) tea.Cmd {
	v.Wish, v.p.facts.mine = got.key, time.Now()
	text := "“" + draw.Within(got.text, 30) + "”"
	if got.known {
		return v.p.ChangedBy("already remembered: "+text, nil)
	}
	if v.p.at == factsView { // it was edited as a fact
		return v.p.facts.done(text+" saved", got.back)
	}
	return v.p.ChangedBy(text+" saved", got.back)
}
