package taste

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

var (
	errNeedsPreference = errors.New("enter a preference")
	errNoSceneYet      = errors.New("no scene of this chat has ended yet")
)

// sureLevels are how sure a card can be, as its form offers them.
var sureLevels = []storage.Confidence{storage.LowConfidence, storage.MediumConfidence, storage.HighConfidence}

// openCard opens the form of a card; one without an id is a new one of the user's
// own.
func (p *tastePane) openCard(old lessons.Card) {
	scope, title, sure := p.scope, "New card", make([]string, len(sureLevels))
	for i, c := range sureLevels {
		sure[i] = sureMark(c) + " " + string(c)
	}
	var notes []string
	at := len(sureLevels) - 1 // who says so oneself is sure
	if old.ID != "" {
		at = max(0, slices.Index(sureLevels, old.Confidence))
		title = "Edit a card"
		if words := draw.Within(old.Evidence, 400); words != "" {
			notes = []string{"evidence: " + words}
		}
	}
	f := widget.Form{Title: title, Notes: notes, Fields: []*widget.Field{
		widget.TextField(p.Host.Styles(), "You prefer", old.Preference, 3),
		widget.TextField(p.Host.Styles(), "Applies to", old.AppliesTo, 2),
		widget.TextField(p.Host.Styles(), "Does not apply to", old.AvoidApplyingTo, 2),
		widget.PickField("Confidence", sure[at], sure),
		widget.PickField("For", cmp.Or(old.For, lessons.ForShots), lessons.Fors())}}
	pane.EditorKey(p.Host, &f, f.Fields[0].Input)
	p.Host.Open(p.newForm(f, func(f *widget.Form) (string, func() (string, error), error) {
		c := takeCard(f, old.PreferenceCard)
		switch {
		case draw.Blank(c.Preference):
			f.Focus(0)
			return "", nil, errNeedsPreference
		case c == old.PreferenceCard:
			return "", nil, nil
		}
		return "“" + draw.Within(c.Preference, 30) + "” saved", func() (string, error) {
			got, err := p.Host.Engine().Taste.SaveCard(scope, c)
			return cardKey(got.ID), err
		}, nil
	}))
}

// takeCard is a card with what the fields of its form say.
func takeCard(f *widget.Form, c storage.PreferenceCard) storage.PreferenceCard {
	for i, to := range []*string{&c.Preference, &c.AppliesTo, &c.AvoidApplyingTo} {
		if in := f.Fields[i].Input; in.Changed() {
			*to = strings.TrimSpace(in.Value())
		}
	}
	c.Confidence = sureLevels[f.Fields[3].Chosen]
	if of := lessons.Fors()[f.Fields[4].Chosen]; of != cmp.Or(c.For, lessons.ForShots) {
		c.For = of
	}
	return c
}

// openSummary opens the form of the profile's summary.
func (p *tastePane) openSummary() tea.Cmd {
	if words := pane.TooLong(p.view.Summary); words != "" {
		return p.Host.Say(event.Warning, words)
	}
	f := widget.Form{Title: "Summary of your preferences", Fields: []*widget.Field{widget.TextField(p.Host.Styles(), "", p.view.Summary, 8)}}
	if p.view.Hand.Summary != "" {
		f.Notes = []string{"Empty restores the automatic summary."}
	}
	pane.EditorKey(p.Host, &f, f.Fields[0].Input)
	old, scope := p.view.Summary, p.scope
	p.Host.Open(p.newForm(f, func(f *widget.Form) (string, func() (string, error), error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if !f.Changed() || text == old {
			return "", nil, nil
		}
		return "summary saved", func() (string, error) { return summaryKey, p.Host.Engine().Taste.SaveSummary(scope, text) }, nil
	}))
	return nil
}

// newForm makes a form that changes the user's hand. take gets its fields and returns
// what stores them and says which row is chosen then, nil for nothing new.
func (p *tastePane) newForm(f widget.Form, take func(f *widget.Form) (words string, store func() (string, error), err error)) *pane.KeptForm {
	eng, scope := p.Host.Engine(), p.scope
	k := pane.NewKeptForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		words, store, err := take(f)
		if err != nil || store == nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			v, err := eng.Taste.View(scope)
			if err != nil {
				return nil, err
			}
			key, err := store()
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				if !p.GoTo(key) {
					p.Wish = key
				}
				return p.ChangedBy(words, func() error { return eng.Taste.PutHand(scope, v.Hand) })
			}, nil
		}, nil
	})
	k.Focus(0)
	return k
}
