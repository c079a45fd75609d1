package director

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The fields of a series' form, in their order.
const (
	seriesTitleField = iota
	seriesGenreField
	seriesAboutField
	seriesWhoField
)

// seriesForm is the form of a series. Its characters are picked from the library
// in a dialog of their own.
type seriesForm struct {
	*pane.KeptForm
	all  []storage.Character // of the library
	who  []storage.CharacterID
	was  []storage.CharacterID
	gone map[storage.CharacterID]string // names of those that left the library
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
	d, sty, title := l.part.host, l.part.host.Styles(), "New series"
	if s.ID != "" {
		title = "Series “" + draw.Within(s.Title, 40) + "”"
	}
	sf := &seriesForm{all: all, who: slices.Clone(s.Characters), was: s.Characters, gone: map[storage.CharacterID]string{}}
	for _, c := range s.Cast {
		sf.gone[c.ID] = c.Name
	}
	f := widget.Form{Title: title,
		Notes: []string{"Memories belong to a series: the same character in another series does not share them."},
		Fields: []*widget.Field{
			widget.LineField(sty, "Title", draw.Within(s.Title, 200), "for example: Harbour nights"),
			widget.LineField(sty, "Genre", draw.Within(s.Genre, 200), "for example: slow mystery"),
			shortText(sty, "About it", s.Description, 3),
			widget.PickField("Characters", "", []string{sf.names()}),
		}}
	f.Keys = []keys.Action{{Name: keys.DialogBrowse, Hint: "characters", Do: keys.Does(sf.pickCharacters)}}
	sf.KeptForm = pane.NewKeptForm(d, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n, err := sf.take(s.Series)
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			got, err := l.part.director().SaveSeries(n)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				l.wish = seriesRow{series: director.SeriesView{Series: got}}
				words := "“" + draw.Within(got.Title, 40) + "” saved"
				if s.ID == "" {
					words += draw.Separator + l.Key(keys.DialogNew) + " creates the first episode"
				}
				if l.Picker == nil { // the form was opened without the list
					return d.Say(event.Info, words)
				}
				return tea.Batch(l.read(nil), d.Say(event.Info, words))
			}, nil
		}, nil
	})
	d.Open(sf)
}

// shortText is a text of a form, or, where it is too long to follow the keys,
// words that say so.
func shortText(sty *draw.Styles, label, value string, rows int) *widget.Field {
	if len(value) > pane.LongestTyped {
		return widget.PickField(label, "", []string{draw.Size(int64(len(value))) + ": too long to edit here"})
	}
	return widget.TextField(sty, label, value, rows)
}

// take is the series that the fields say. What was not touched stays as it is.
func (f *seriesForm) take(s storage.Series) (storage.Series, error) {
	if in := f.Fields[seriesTitleField].Input; in.Changed() {
		s.Title = strings.TrimSpace(in.Value())
	}
	if in := f.Fields[seriesGenreField].Input; in.Changed() {
		s.Genre = strings.TrimSpace(in.Value())
	}
	if in := f.Fields[seriesAboutField].Input; in != nil && in.Changed() {
		s.Description = strings.TrimSpace(in.Value())
	}
	s.Characters = f.who
	if draw.Blank(s.Title) {
		f.Focus(seriesTitleField)
		return s, errors.New("enter a title")
	}
	return s, nil
}

// names are the picked characters in a line.
func (f *seriesForm) names() string {
	if len(f.who) == 0 {
		return "none yet"
	}
	var out []string
	for i, id := range f.who {
		name := draw.Within(f.name(id), 40)
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

// Actions implements widget.Dialog. Every key of the field of characters picks them; other
// characters are a change that must not be lost.
func (f *seriesForm) Actions() []keys.Action {
	here := func() bool { return f.At == seriesWhoField && !f.Busy }
	var list []keys.Action
	for _, name := range []keys.Name{keys.DialogEnter, keys.DialogMark, keys.DialogLeft, keys.DialogRight} {
		list = append(list, keys.Action{Name: name, Words: "choose characters", Here: here, Do: keys.Does(f.pickCharacters)})
	}
	list = append(list, f.KeptForm.Actions()...)
	for i := range list {
		if list[i].Name == keys.DialogClose {
			leave := list[i].Do
			list[i].Do = func() tea.Cmd {
				if !f.Asked && !slices.Equal(f.who, f.was) {
					f.Warn()
					return nil
				}
				return leave()
			}
		}
	}
	return list
}

// membersPicker is the library, with those marked that a series has. Space marks
// one or takes the mark away; the first that was marked is the main one.
type membersPicker struct {
	*widget.Picker
	f *seriesForm
}

func (f *seriesForm) pickCharacters() {
	f.Renew()
	m := &membersPicker{f: f}
	m.Picker = widget.NewPicker(f.Host.Styles(), "Characters of this series", nil, func(widget.Entry) tea.Cmd { return nil },
		widget.Extra{Name: keys.DialogMark, Words: "select", Keep: true, Do: m.toggle},
		widget.Extra{Name: keys.DialogDefault, Words: "make main", Keep: true, Do: m.first},
		widget.Always(keys.DialogBrowse, "all characters", func() tea.Cmd { return f.Host.Run(keys.Characters) }))
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
		entries = append(entries, widget.Entry{Title: mark + draw.Within(name, 60), Detail: draw.Within(detail, 200), Right: right, Value: id})
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
	m.f.Fields[seriesWhoField].Options = []string{m.f.names()}
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
	m.f.who = append([]storage.CharacterID{id}, slices.DeleteFunc(m.f.who, func(o storage.CharacterID) bool { return o == id })...)
	m.refill()
	return nil
}
