package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/event"
	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	"ghostlight/tui/widget"
)

// storySheet shows a memory or a hook whole, and the places in the play where it
// was told.
type storySheet struct {
	widget.Sheet
	p      *memoryPane
	title  string
	foot   string
	head   func(t *look.Lines, lk *look.Look) // all but the places
	places []toldPlace
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

// toldPlace is where something was told.
type toldPlace struct {
	chat  storage.ChatID
	nodes []storage.NodeID
	words string // of it, but for the message
}

// storyNames are the names of chats and characters, for what only knows their
// ids.
type storyNames struct {
	chats  map[storage.ChatID]string
	people map[storage.CharacterID]string
}

// readNames reads those that are needed for some tellings, away from the screen's
// goroutine. here is the chat that is open.
func readNames(eng *engine.Engine, here storage.ChatID, told []storage.Told) (storyNames, error) {
	n := storyNames{map[storage.ChatID]string{}, map[storage.CharacterID]string{}}
	if slices.ContainsFunc(told, func(t storage.Told) bool { return t.Chat != "" && t.Chat != here }) {
		chats, err := eng.Chats.List()
		if err != nil {
			return n, err
		}
		for _, c := range chats {
			n.chats[c.ID] = c.Title
		}
	}
	if slices.ContainsFunc(told, func(t storage.Told) bool { return len(t.Witnesses) > 0 }) {
		people, err := eng.Library.Characters()
		if err != nil {
			return n, err
		}
		for _, c := range people {
			n.people[c.ID] = c.Card.Name
		}
	}
	return n, nil
}

// places are where something was told, the newest first. here is the chat that is
// open; lead is how the words about each begin.
func (n storyNames) places(told []storage.Told, here storage.ChatID, lead func(i int) string) []toldPlace {
	var out []toldPlace
	for i := len(told) - 1; i >= 0; i-- {
		t := &told[i]
		p := toldPlace{chat: t.Chat, nodes: t.Sources}
		if len(p.nodes) == 0 && t.Node != "" {
			p.nodes = []storage.NodeID{t.Node}
		}
		words := []string{lead(i)}
		yours := t.Node == "" && len(t.Sources) == 0
		if yours {
			words[0] = "written by you"
		}
		if !t.At.IsZero() {
			words[0] += " " + look.AgoWords(t.At)
		}
		switch title := n.chats[t.Chat]; {
		case yours:
			words = append(words, "it holds everywhere")
		case t.Chat == here || t.Chat == "":
		case title == "":
			words = append(words, "in a chat that is gone")
		default:
			words = append(words, "in “"+look.Within(title, 40)+"”")
		}
		if t.Importance > 0 {
			words = append(words, "importance "+importance(t.Importance))
		}
		if t.Witnesses != nil {
			words = append(words, n.witnesses(t.Witnesses))
		}
		p.words = strings.Join(words, look.Separator)
		out = append(out, p)
	}
	return out
}

// witnesses says who was there, a few of them by name.
func (n storyNames) witnesses(ids []storage.CharacterID) string {
	if len(ids) == 0 {
		return "only you know it"
	}
	var names []string
	for i, id := range ids {
		if i == 6 {
			names = append(names, fmt.Sprintf("%d more", len(ids)-i))
			break
		}
		name := look.Within(n.people[id], 24)
		if name == "" {
			name = "somebody who is gone"
		}
		names = append(names, name)
	}
	return "known to " + strings.Join(names, ", ")
}

// toldLead is how the words about a telling begin: the first is where it came up.
func toldLead(i int) string {
	if i == 0 {
		return "first told"
	}
	return "told again"
}

// openSheet shows a memory whole.
func (v *memoryList) openSheet(m memory.View, a *app) tea.Cmd {
	here := v.Chat
	return a.Do(func() func() tea.Cmd {
		names, err := readNames(a.eng, here, m.Told)
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			if i := slices.IndexFunc(v.mems, func(x memory.View) bool { return x.ID == m.ID }); i >= 0 {
				m = v.mems[i] // it may have been read anew
			}
			s := &storySheet{p: v.p, title: memoryHeads[memoryHead(m.Type)], foot: "e edit · p pin · O mute · d delete · y copy · esc close", places: names.places(m.Told, here, toldLead)}
			s.head = func(t *look.Lines, lk *look.Look) { memoryHeadLines(&m, t, lk) }
			on := func(is bool, on, off memory.Action, onWords, offWords string) func() tea.Cmd {
				ids, words := []storage.MemoryID{m.ID}, "“"+look.Within(m.Content, 40)+"” "
				if is {
					return func() tea.Cmd { return v.do(ids, off, on, words+offWords) }
				}
				return func() tea.Cmd { return v.do(ids, on, off, words+onWords) }
			}
			s.keys = map[string]func() tea.Cmd{
				"e": func() tea.Cmd { return v.openForm(&m, a) },
				"p": on(m.Pinned, memory.Pin, memory.Unpin, "pinned", "unpinned"),
				"O": on(m.Muted, memory.Mute, memory.Unmute, "muted", "told again"),
				"d": on(m.Removed, memory.Remove, memory.Restore, "removed", "brought back"),
				"y": func() tea.Cmd { return tea.Batch(a.Copy(m.Content), a.Say(event.Info, "memory copied")) },
			}
			a.dialogs.Open(s)
			return nil
		}
	})
}

func memoryHeadLines(m *memory.View, t *look.Lines, lk *look.Look) {
	if words := memoryState(m); len(words) > 0 {
		t.Add(lk.Accent, strings.Join(words, look.Separator))
	}
	t.Add(lk.Dim, strings.Join(memoryFacts(m), look.Separator))
	t.Blank()
	t.Add(lk.Base, upTo(m.Content, mostRead))
	if m.Original != "" && m.Original != m.Content {
		t.Blank()
		t.Add(lk.Title, "As it was found")
		t.Add(lk.Dim, upTo(m.Original, mostRead))
	}
}

// upTo is a text of at most n bytes, and a mark where more follows.
func upTo(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:n] + "\n…"
}

func (s *storySheet) Handle(msg tea.Msg) (tea.Cmd, bool) {
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
func (s *storySheet) step(n int) {
	if f := len(s.places); f > 0 {
		s.told, s.nth, s.stale, s.seek = (s.told+n+f)%f, 0, true, true
	}
}

// turn chooses another message of the place.
func (s *storySheet) turn(n int) {
	if s.told < len(s.places) && len(s.places[s.told].nodes) > 1 {
		m := len(s.places[s.told].nodes)
		s.nth, s.stale = (s.nth+n+m)%m, true
	}
}

// jump goes to the chosen message of the chosen place.
func (s *storySheet) jump(key string) (tea.Cmd, bool) {
	if len(s.places) == 0 || len(s.places[s.told].nodes) == 0 {
		if key == "enter" && len(s.places) < 2 {
			return nil, true
		}
		return s.p.goTo("", "", s.p.a), false
	}
	p := s.places[s.told]
	return s.p.goTo(p.chat, p.nodes[min(s.nth, len(p.nodes)-1)], s.p.a), true
}

func (s *storySheet) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	foot := s.foot
	if len(s.places) > 1 {
		foot = "tab place · enter go there · " + foot
	} else if len(s.places) == 1 && len(s.places[0].nodes) > 0 {
		foot = "enter go there · " + foot
	}
	w := min(100, screen.Dx())
	if lw := max(1, w-5); s.width != lw || s.gen != lk.Gen || s.stale {
		s.lines, s.width, s.gen, s.stale = s.lay(lw, lk), lw, lk.Gen, false
	}
	in := look.Frame(buf, look.Centred(screen, w, len(s.lines)+2), lk, s.title, foot)
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

func (s *storySheet) lay(w int, lk *look.Look) []string {
	t := look.Lines{Width: w}
	s.head(&t, lk)
	if len(s.places) == 0 {
		return t.Text
	}
	if len(s.places) > mostPlaces {
		s.places = s.places[:mostPlaces]
	}
	t.Blank()
	t.Add(lk.Title, "Where it comes from")
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
func (p *memoryPane) messageAt(t toldPlace, n int) string {
	if t.chat != "" && t.chat != p.a.view.Chat.ID {
		return "a message there"
	}
	return p.a.messageName(t.nodes[min(n, len(t.nodes)-1)])
}

// saidAt is how a message of a place begins, "" where it is not at hand.
func (p *memoryPane) saidAt(t toldPlace, n int) string {
	if len(t.nodes) == 0 || t.chat != "" && t.chat != p.a.view.Chat.ID {
		return ""
	}
	i := p.a.play.find(t.nodes[min(n, len(t.nodes)-1)])
	if i < 0 {
		return ""
	}
	m := p.a.play.items[i].msg
	return speaker(m) + ": " + look.Within(m.Content, 100)
}
