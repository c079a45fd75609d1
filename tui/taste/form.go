package taste

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

var errNoSceneYet = errors.New("no scene of this chat has ended yet")

// openCard opens the form of a card; one without an ID is a new card of the user.
func (p *tastePane) openCard(old lessons.Card) {
	scope, card, title := p.scope, old.PreferenceCard, "Edit a card"
	if old.ID == "" {
		card, title = taste.CardFields.Default(), "New card"
	}
	sure := slices.Clone(taste.CardFields.Find("confidence").Choices)
	for i, c := range sure {
		sure[i].Label = confidenceMark(storage.Confidence(c.Value)) + " " + c.Value
	}
	f := &pane.RecordForm[storage.PreferenceCard]{Title: title, Record: taste.CardFields.With("confidence", sure),
		Value: card, Fresh: old.ID == ""}
	f.Save = func(change func(*storage.PreferenceCard)) (func() tea.Cmd, error) {
		c := card
		change(&c)
		return p.store(scope, "“"+draw.Truncate(c.Preference, 30)+"” saved", func() (string, error) {
			got, err := p.Host.Engine().Taste.SaveCard(scope, c)
			return cardKey(got.ID), err
		})
	}
	f.Open(p.Host)
}

// openSummary opens the form of the profile's summary.
func (p *tastePane) openSummary() tea.Cmd {
	if words := pane.TooLong(p.view.Summary); words != "" {
		return p.Host.Say(event.Warning, words)
	}
	f := widget.Form{Title: "Summary of your preferences",
		Fields: []*widget.Field{widget.TextField(p.Host.Styles(), "", p.view.Summary, 8)}}
	if p.view.Overrides.Summary != "" {
		f.Notes = []string{"Empty restores the automatic summary."}
	}
	pane.EditorKey(p.Host, &f, f.Fields[0].Input)
	old, scope := p.view.Summary, p.scope
	p.Host.Open(pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if !f.Changed() || text == old {
			return nil, nil
		}
		return func() (func() tea.Cmd, error) {
			return p.store(scope, "summary saved", func() (string, error) {
				return summaryKey, p.Host.Engine().Taste.SaveSummary(scope, text)
			})
		}, nil
	}))
	return nil
}

// store changes the user's overrides, off the screen's goroutine. It selects the row of the
// returned key, and can be undone.
func (p *tastePane) store(scope storage.ScopeID, words string,
	do func() (key string, err error)) (func() tea.Cmd, error) {
	eng := p.Host.Engine()
	v, err := eng.Taste.View(scope)
	if err != nil {
		return nil, err
	}
	key, err := do()
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		if !p.GoTo(key) {
			p.PendingKey = key
		}
		return p.Changed(words, func() error { return eng.Taste.RestoreOverrides(scope, v.Overrides) })
	}, nil
}
