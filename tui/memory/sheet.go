package memory

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// sheetOf is what the sheets of a kind of things differ in.
type sheetOf[T any] struct {
	title func(x *T) string
	hints string
	// told is where things were told, for the names that this needs; places are the
	// same in words.
	told   func(x *T) []storage.Told
	places func(n names, x *T, here storage.ChatID) []place
}

// sheet shows a thing whole, and the places in the play where it was told.
type sheet struct {
	widget.Sheet
	p      *pane
	title  string
	foot   string
	head   func(t *look.Lines, lk *look.Look) // all but the places
	places []place
	keys   map[string]func() tea.Cmd // that close it
	told   int                       // the chosen place
	nth    int                       // of its messages

	lines []string // laid out for a width and a choice
	width int
	gen   int // of the look
	marks [2]int
	stale bool
	seek  bool // the chosen place is to be brought into view
}

// openSheet shows a thing whole.
func (v *list[T]) openSheet(of *T) tea.Cmd {
	x := *of
	here, eng := v.Chat, v.Desk.Engine()
	return v.Desk.Do(func() func() tea.Cmd {
		names, err := readNames(eng, here, v.sheet.told(&x))
		return func() tea.Cmd {
			if err != nil {
				return v.Desk.Fail(err)
			}
			if i := slices.IndexFunc(v.all, func(y T) bool { return v.key(&y) == v.key(&x) }); i >= 0 {
				x = v.all[i] // it may have been read anew
			}
			v.Desk.Open(&sheet{p: v.p, title: v.sheet.title(&x), foot: v.sheet.hints, places: v.sheet.places(names, &x, here),
				head: func(t *look.Lines, lk *look.Look) { v.whole(&x, t, lk) }, keys: v.sheetKeys(x)})
			return nil
		}
	})
}

// sheetKeys are the keys of a sheet that do something to its thing.
func (v *list[T]) sheetKeys(x T) map[string]func() tea.Cmd {
	all := map[string]func() tea.Cmd{
		"e": func() tea.Cmd { return v.openForm(&x) },
		"y": func() tea.Cmd { return v.copyText(&x) },
	}
	for i := range v.changes {
		all[v.changes[i].letter] = func() tea.Cmd { return v.changeOne(&v.changes[i], x) }
	}
	for _, d := range v.doings {
		all[d.letter] = func() tea.Cmd { return d.do(v, x) }
	}
	return all
}

// whole is all there is to say about a thing.
func (k *kind[T]) whole(x *T, t *look.Lines, lk *look.Look) {
	k.about(x, t, lk)
	t.Blank()
	t.Add(lk.Base, look.UpTo(k.text(x), look.LongestRead))
	if a := k.second(x); a.text != "" {
		st := lk.Dim
		if a.below {
			st = lk.Base
		}
		t.Blank()
		t.Add(lk.Title, a.title)
		t.Add(st, look.UpTo(a.text, look.LongestRead))
	}
}

// Handle implements widget.Dialog.
func (s *sheet) Handle(msg tea.Msg) (tea.Cmd, bool) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		s.Sheet.Handle(msg)
		return nil, false
	}
	switch key := widget.KeyName(k); key {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "tab", "n":
		s.step(1)
	case "shift+tab":
		s.step(-1)
	case "left", "h":
		s.turn(-1)
	case "right", "l":
		s.turn(1)
	case "enter", "S":
		return s.jump(key)
	default:
		if do := s.keys[key]; do != nil {
			return do(), true
		}
		s.Sheet.Handle(msg)
	}
	return nil, false
}

// step chooses another place.
func (s *sheet) step(n int) {
	if f := len(s.places); f > 0 {
		s.told, s.nth, s.stale, s.seek = (s.told+n+f)%f, 0, true, true
	}
}

// turn chooses another message of the place.
func (s *sheet) turn(n int) {
	if s.told < len(s.places) && len(s.places[s.told].nodes) > 1 {
		m := len(s.places[s.told].nodes)
		s.nth, s.stale = (s.nth+n+m)%m, true
	}
}

// jump goes to the chosen message of the chosen place.
func (s *sheet) jump(key string) (tea.Cmd, bool) {
	if len(s.places) == 0 || len(s.places[s.told].nodes) == 0 {
		if key == "enter" && len(s.places) < 2 {
			return nil, true
		}
		return s.p.goTo("", ""), false
	}
	p := s.places[s.told]
	return s.p.goTo(p.chat, p.nodes[min(s.nth, len(p.nodes)-1)]), true
}

// Hints implements widget.Dialog.
func (s *sheet) Hints() string {
	switch {
	case len(s.places) > 1:
		return widget.Hints("tab next source", "enter go to message", s.foot, widget.FullHelp)
	case len(s.places) == 1 && len(s.places[0].nodes) > 0:
		return widget.Hints("enter go to message", s.foot, widget.FullHelp)
	}
	return widget.Hints(s.foot, widget.FullHelp)
}

// Draw implements widget.Dialog.
func (s *sheet) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	if lw := max(1, w-5); s.width != lw || s.gen != lk.Gen || s.stale {
		s.lines, s.width, s.gen, s.stale = s.lay(lw, lk), lw, lk.Gen, false
	}
	in := look.Frame(buf, look.Centred(screen, w, len(s.lines)+2), lk, s.title, s.Hints())
	if in.Dy() < 1 {
		return nil
	}
	if s.seek {
		s.Sheet.Top, s.seek = max(min(s.Sheet.Top, s.marks[0]), s.marks[1]-in.Dy()), false
	}
	s.Sheet.Draw(buf, in, s.lines, lk)
	return nil
}

// mostPlaces bounds how many places a sheet shows.
const mostPlaces = 500

func (s *sheet) lay(w int, lk *look.Look) []string {
	t := look.Lines{Width: w}
	s.head(&t, lk)
	if len(s.places) == 0 {
		return t.Text
	}
	if len(s.places) > mostPlaces {
		s.places = s.places[:mostPlaces]
	}
	t.Blank()
	t.Add(lk.Title, "Sources")
	for i, p := range s.places {
		from, lead, n := len(t.Text), "  ", 0
		if i == s.told {
			lead, n = lk.Bar.Styled("▌")+" ", s.nth
		}
		words := p.words
		if m := len(p.nodes); m > 0 {
			words += look.Separator + s.p.messageAt(p, n)
			if m > 1 {
				words += fmt.Sprintf(", %d of %d", n+1, m)
				if i == s.told {
					words += " (←→)"
				}
			}
		}
		t.Hang(lead, lk.Base, words)
		if said := s.p.saidAt(p, n); said != "" {
			t.Hang("    ", lk.Dim, said)
		}
		if i == s.told {
			s.marks = [2]int{from, len(t.Text)}
		}
	}
	return t.Text
}

// messageAt is how a message of a place is called.
func (p *pane) messageAt(t place, n int) string {
	if t.chat != "" && t.chat != p.Desk.Chat().Chat.ID {
		return "source message"
	}
	return desk.MessageName(p.Desk, t.nodes[min(n, len(t.nodes)-1)])
}

// saidAt is how a message of a place begins, "" where it is not at hand.
func (p *pane) saidAt(t place, n int) string {
	if len(t.nodes) == 0 || t.chat != "" && t.chat != p.Desk.Chat().Chat.ID {
		return ""
	}
	m, ok := p.Desk.Message(t.nodes[min(n, len(t.nodes)-1)])
	if !ok {
		return ""
	}
	return desk.Speaker(m) + ": " + look.Within(m.Content, 100)
}
