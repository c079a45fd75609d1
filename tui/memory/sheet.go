package memory

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// sheetSpec describes the differences between the sheets of each kind of things.
type sheetSpec[T any] struct {
	title func(x *T) string
	// mentions returns the mentions of a record; places describes them.
	mentions func(x *T) []memory.MentionView
	places   func(n names, x *T, here storage.ChatID) []place
}

// sheet shows a whole record and the places where it was mentioned.
type sheet struct {
	widget.Reader
	p      *memoryPane
	head   func(t *draw.Lines, sty *draw.Styles) // everything except the places
	places []place
	chosen int // the chosen place
	nth    int // of its messages
}

// newSheet makes a sheet. It closes before one of the actions runs.
func newSheet(p *memoryPane, title string, places []place, acts []keys.Action,
	head func(t *draw.Lines, sty *draw.Styles)) *sheet {
	s := &sheet{p: p, head: head, places: places[:min(len(places), maxPlaces)]}
	s.Title, s.Lines = title, s.lay
	step := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name, Visible: func() bool { return len(s.places) > 1 },
			Do: keys.Does(func() { s.step(n) })}
	}
	turn := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name, Text: "another message", Visible: s.several, Do: keys.Does(func() { s.turn(n) })}
	}
	next := step(keys.DialogNext, 1)
	next.Hint = "next source"
	s.Own = []keys.Action{next, step(keys.DialogPrevious, -1),
		{Name: keys.DialogEnter, Hint: "go to message", Visible: s.leads, Do: s.jump},
		turn(keys.DialogLeft, -1), turn(keys.DialogRight, 1)}
	for _, a := range acts {
		do := a.Do
		a.Do = func() tea.Cmd { s.Close(); return do() }
		s.Own = append(s.Own, a)
	}
	return s
}

// openSheet shows all of a record.
func (v *list[T]) openSheet(x T) tea.Cmd {
	here, eng := v.Chat, v.Host.Engine()
	return v.Host.Do(func() func() tea.Cmd {
		names, err := readNames(eng, here, v.sheet.mentions(&x))
		return func() tea.Cmd {
			if err != nil {
				return v.Host.Fail(err)
			}
			if i := slices.IndexFunc(v.Items, func(y T) bool { return v.key(&y) == v.key(&x) }); i >= 0 {
				x = v.Items[i] // it may have been read again
			}
			v.Host.Open(newSheet(v.p, v.sheet.title(&x), v.sheet.places(names, &x, here), v.with(x),
				func(t *draw.Lines, sty *draw.Styles) { v.whole(&x, t, sty) }))
			return nil
		}
	})
}

// with returns the actions on a record.
func (v *list[T]) with(x T) (all []keys.Action) {
	for _, d := range v.doings {
		a := d.action
		a.Do = func() tea.Cmd { return d.do(v, x) }
		all = append(all, a)
	}
	all = append(all, keys.Action{Name: keys.PaneEdit, Hint: "edit", Do: func() tea.Cmd { return v.openForm(&x) }})
	for i := range v.changes {
		a := v.changes[i].action
		a.Do = func() tea.Cmd { return v.changeOne(&v.changes[i], x) }
		all = append(all, a)
	}
	return append(all, keys.Action{Name: keys.PaneCopy, Hint: "copy", Do: func() tea.Cmd { return v.copyText(x) }})
}

// whole adds everything about a record.
func (k *kind[T]) whole(x *T, t *draw.Lines, sty *draw.Styles) {
	k.about(x, t, sty)
	t.Blank()
	t.Add(sty.Base, draw.UpTo(k.text(x), draw.MaxReadLen))
	if a := k.second(x); a.text != "" {
		st := sty.Dim
		if a.below {
			st = sty.Base
		}
		t.Blank()
		t.Add(sty.Title, a.title)
		t.Add(st, draw.UpTo(a.text, draw.MaxReadLen))
	}
}

// leads reports whether there are messages to go to.
func (s *sheet) leads() bool {
	return len(s.places) > 1 || len(s.places) == 1 && len(s.places[0].nodes) > 0
}

// several reports whether the chosen place has more than one message.
func (s *sheet) several() bool { return s.chosen < len(s.places) && len(s.places[s.chosen].nodes) > 1 }

// step chooses another place.
func (s *sheet) step(n int) {
	f := len(s.places)
	s.chosen, s.nth = (s.chosen+n+f)%f, 0
	s.ShowSpot()
}

// turn chooses another message of the place.
func (s *sheet) turn(n int) {
	m := len(s.places[s.chosen].nodes)
	s.nth = (s.nth + n + m) % m
	s.Relayout()
}

// jump goes to the chosen message of the chosen place.
func (s *sheet) jump() tea.Cmd {
	p := s.places[s.chosen]
	if len(p.nodes) == 0 {
		return s.p.goTo("", "")
	}
	s.Close()
	return s.p.goTo(p.chat, p.nodes[s.nth])
}

// maxPlaces is the maximum number of places in a sheet.
const maxPlaces = 500

func (s *sheet) lay(w int, sty *draw.Styles) []string {
	t := draw.Lines{Width: w}
	s.head(&t, sty)
	if len(s.places) == 0 {
		return t.Text
	}
	t.Blank()
	t.Add(sty.Title, "Sources")
	for i, p := range s.places {
		from, lead, n := len(t.Text), "  ", 0
		if i == s.chosen {
			lead, n = sty.Bar.Styled("▌")+" ", s.nth
		}
		words := p.words
		if m := len(p.nodes); m > 0 {
			words = draw.Join(words, s.p.messageAt(p, n))
			if m > 1 {
				words += fmt.Sprintf(", %d of %d", n+1, m)
				if i == s.chosen {
					words += " (" + s.Key(keys.DialogLeft) + s.Key(keys.DialogRight) + ")"
				}
			}
		}
		t.Hang(lead, sty.Base, words)
		if said := s.p.saidAt(p, n); said != "" {
			t.Hang("    ", sty.Dim, said)
		}
		if i == s.chosen {
			s.Spot = [2]int{from, len(t.Text)}
		}
	}
	return t.Text
}

// messageAt returns the name of a message of a place.
func (p *memoryPane) messageAt(t place, n int) string {
	if t.number > 0 {
		return "message " + strconv.Itoa(t.number)
	}
	if t.chat != "" && t.chat != p.Host.Play().Chat().Chat.ID {
		return "source message"
	}
	return pane.MessageName(p.Host, t.nodes[min(n, len(t.nodes)-1)])
}

// saidAt returns the beginning of a message of a place, "" if it is not loaded.
func (p *memoryPane) saidAt(t place, n int) string {
	if len(t.nodes) == 0 || t.chat != "" && t.chat != p.Host.Play().Chat().Chat.ID {
		return ""
	}
	m, ok := p.Host.Play().Message(t.nodes[min(n, len(t.nodes)-1)])
	if !ok {
		return ""
	}
	return pane.Speaker(m) + ": " + draw.Truncate(m.Content, 100)
}
