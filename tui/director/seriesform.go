package director

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// seriesForm is the form of a series. Its characters are picked from the library
// in a dialog of their own.
type seriesForm struct {
	*pane.RecordForm[storage.Series]
	all  []storage.Character // of the library
	who  []storage.CharacterID
	was  []storage.CharacterID
	gone map[storage.CharacterID]string // names of characters that are no longer in the library
}

// editSeries opens the form of a series, or of a new one.
func (l *seriesList) editSeries(s director.SeriesView) tea.Cmd {
	return l.part.host.Do(func() func() tea.Cmd {
		all, err := l.part.host.Engine().Library.Characters()
		return func() tea.Cmd {
			if err != nil {
				return pane.Explain(l.part.host, "The characters could not be read", err)
			}
			l.showSeriesForm(s, all)
			return nil
		}
	})
}

func (l *seriesList) showSeriesForm(s director.SeriesView, all []storage.Character) {
	title := "New series"
	if s.ID != "" {
		title = "Series “" + draw.Truncate(s.Title, 40) + "”"
	}
	sf := &seriesForm{all: all, who: slices.Clone(s.Characters), was: s.Characters,
		gone: map[storage.CharacterID]string{}}
	for _, c := range s.Cast {
		sf.gone[c.ID] = c.Name
	}
	record := director.SeriesFields
	record.Fields = append(slices.Clone(record.Fields),
		field.Spec[storage.Series]{Name: "characters", Label: "Characters",
			Help:    "the first is the main one; their memories belong to this series, and are not shared with another",
			Choices: []field.Choice{{Value: sf.names()}},
			At: func(*storage.Series) any {
				return field.Computed{Get: sf.names, Put: func(string) error { return nil }}
			}})
	sf.RecordForm = &pane.RecordForm[storage.Series]{Title: title, Record: &record, Value: s.Series, Fresh: s.ID == "",
		Keys:         []keys.Action{{Name: keys.DialogBrowse, Hint: "characters", Do: keys.Does(sf.pickCharacters)}},
		ExtraChanged: func() bool { return !slices.Equal(sf.who, sf.was) },
		Save: func(change func(*storage.Series)) (func() tea.Cmd, error) {
			n := s.Series
			change(&n)
			n.Characters = sf.who
			got, err := l.part.director().SaveSeries(n)
			return func() tea.Cmd { return l.savedSeries(got, s.ID == "") }, err
		}}
	sf.Prepare(l.part.host)
	l.part.host.Open(sf)
}

// savedSeries selects a series that was stored and shows a notice.
func (l *seriesList) savedSeries(s storage.Series, fresh bool) tea.Cmd {
	l.pendingSelect = seriesRow{series: director.SeriesView{Series: s}}
	words := "“" + draw.Truncate(s.Title, 40) + "” saved"
	if fresh {
		words += draw.Separator + l.Key(keys.DialogNew) + " creates the first episode"
	}
	cmd := l.part.host.Say(event.Info, words)
	if l.Picker == nil { // the form was opened without the list
		return cmd
	}
	return tea.Batch(l.read(nil), cmd)
}

// names returns the picked characters in a line.
func (f *seriesForm) names() string {
	if len(f.who) == 0 {
		return "none yet"
	}
	var out []string
	for i, id := range f.who {
		name := draw.Truncate(f.name(id), 40)
		if i == 0 && len(f.who) > 1 {
			name += " (main)"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

func (f *seriesForm) name(id storage.CharacterID) string {
	for _, c := range f.all {
		if c.ID == id {
			return c.Card.Name
		}
	}
	return f.gone[id]
}

// at returns the field that shows the characters.
func (f *seriesForm) at() int { return f.Index("Characters") }

// Actions implements widget.Dialog. Every key of the field of characters picks them.
func (f *seriesForm) Actions() []keys.Action {
	here := func() bool { return f.At == f.at() && !f.Busy }
	var list []keys.Action
	for _, name := range []keys.Name{keys.DialogEnter, keys.DialogMark, keys.DialogLeft, keys.DialogRight} {
		list = append(list, keys.Action{Name: name, Text: "choose characters", Visible: here,
			Do: keys.Does(f.pickCharacters)})
	}
	return append(list, f.RecordForm.Actions()...)
}

// membersPicker lists the library, with the series' members marked. Space toggles a mark; the first
// marked one is the main character.
type membersPicker struct {
	*widget.Picker
	f *seriesForm
}

func (f *seriesForm) pickCharacters() {
	f.ClearMessages()
	m := &membersPicker{f: f}
	m.Picker = widget.NewPicker(f.Host.Styles(), "Characters of this series", nil,
		func(widget.Entry) tea.Cmd { return nil },
		widget.Extra{Name: keys.DialogMark, Description: "select", Keep: true, Do: m.toggle},
		widget.Extra{Name: keys.DialogDefault, Description: "make main", Keep: true, Do: m.first},
		widget.GlobalExtra(keys.DialogBrowse, "all characters", func() tea.Cmd { return f.Host.Run(keys.Characters) }))
	m.Verb = func(widget.Entry) string { return "done" }
	key := f.Host.Keys().DialogKey(keys.DialogBrowse, true)
	m.Empty = "no characters yet: " + key + " opens the character list to create or import one"
	m.refill()
	f.Host.Open(m)
}

func (m *membersPicker) refill() {
	var entries []widget.Entry
	add := func(id storage.CharacterID, name, detail string) {
		mark, right := "  ", ""
		if i := slices.Index(m.f.who, id); i >= 0 {
			if mark = strconv.Itoa(i+1) + " "; i == 0 {
				right = "main"
			}
		}
		entries = append(entries, widget.Entry{Title: mark + draw.Truncate(name, 60),
			Detail: draw.Truncate(detail, 200),
			Right:  right, Value: id})
	}
	for _, c := range m.f.all {
		detail := strings.Join(c.Card.Tags, ", ")
		if detail == "" {
			detail = chats.Named(c.Card.Description, c.Card, m.f.Host.Play().Chat().Persona)
		}
		add(c.ID, c.Card.Name, detail)
	}
	for _, id := range m.f.was {
		if !slices.ContainsFunc(m.f.all, func(c storage.Character) bool { return c.ID == id }) {
			add(id, m.f.gone[id], "deleted character")
		}
	}
	m.Fill(entries)
	m.f.Fields[m.f.at()].Options = []string{m.f.names()}
}

func (m *membersPicker) toggle(e widget.Entry) tea.Cmd {
	id, _ := e.Value.(storage.CharacterID)
	if i := slices.Index(m.f.who, id); i >= 0 {
		m.f.who = slices.Delete(m.f.who, i, i+1)
	} else {
		m.f.who = append(m.f.who, id)
	}
	m.refill()
	return nil
}

// first makes a character the main one.
func (m *membersPicker) first(e widget.Entry) tea.Cmd {
	id, _ := e.Value.(storage.CharacterID)
	m.f.who = append([]storage.CharacterID{id},
		slices.DeleteFunc(m.f.who, func(o storage.CharacterID) bool { return o == id })...)
	m.refill()
	return nil
}
