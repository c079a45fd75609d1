package memory

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// saved is a stored record.
type saved struct {
	key, text string
	known     bool // an equal one existed
	back      func() error
}

// openForm opens the form of a thing; nil is for a new one.
func (v *list[T]) openForm(x *T) tea.Cmd {
	if refused := v.form(v, x); refused != "" {
		return v.Host.Say(event.Info, refused)
	}
	return nil
}

// openRecord opens the form of a record. After saving, it selects the stored record.
func openRecord[T, R any](v *list[T], f *pane.RecordForm[R], save func(r R) (saved, error)) {
	f.Save = func(change func(*R)) (func() tea.Cmd, error) {
		r := f.Value
		change(&r)
		got, err := save(r)
		return func() tea.Cmd { return v.stored(got) }, err
	}
	f.Open(v.Host)
}

// typeWords returns the choices of a field with their display words.
func typeWords[T ~string](types []T, words func(t T) string) []field.Choice {
	list := field.Choices(types...)
	for i, t := range types {
		list[i].Label = words(t)
	}
	return list
}

// stored selects the stored record and shows a notice.
func (v *list[T]) stored(got saved) tea.Cmd {
	v.PendingKey, v.p.facts.mine = got.key, time.Now()
	text := "“" + draw.Truncate(got.text, 30) + "”"
	if got.known {
		return v.p.Changed("already remembered: "+text, nil)
	}
	if v.p.at == factsView { // it was edited as a fact
		return v.p.facts.done(text+" saved", got.back)
	}
	return v.p.Changed(text+" saved", got.back)
}
