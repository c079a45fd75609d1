package memory

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// factSheet shows a fact whole, or two that do not go together, with the messages that they
// came from.
type factSheet struct {
	widget.Sheet
	p     *facts
	row   row
	title string
	head  func(t *look.Lines, lk *look.Look) // all but the messages
	from  []memory.Source
	at    int
}

func newFactSheet(p *facts, r row) *factSheet {
	s := &factSheet{p: p, row: r, title: "A fact", from: r.sources()}
	v := p.view
	one := func(f *memory.Fact, t *look.Lines, lk *look.Look) {
		t.Add(lk.Base, look.UpTo(f.Text, look.LongestRead))
		t.Add(lk.Dim, about(f))
		t.Add(lk.Accent, becomes(f, v))
	}
	s.head = func(t *look.Lines, lk *look.Look) { one(&r.fact, t, lk) }
	if r.other != nil {
		s.title = "Two facts"
		s.head = func(t *look.Lines, lk *look.Look) {
			t.Add(lk.Title, r.verdict())
			t.Blank()
			one(&r.fact, t, lk)
			t.Blank()
			one(r.other, t, lk)
		}
	}
	return s
}

// Handle implements widget.Dialog.
func (s *factSheet) Handle(msg tea.Msg) (tea.Cmd, bool) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		s.Sheet.Handle(msg)
		return nil, false
	}
	switch widget.KeyName(k) {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "tab", "n":
		s.step(1)
	case "shift+tab":
		s.step(-1)
	case "enter", "S":
		if len(s.from) == 0 {
			return nil, true
		}
		return s.p.goTo(s.from, s.at), true
	case "y":
		return s.p.Desk.Copy(s.row.fact.Text, "fact"), true
	default:
		for _, a := range s.p.list() {
			if a.letter == widget.KeyName(k) {
				return s.p.act(a, s.row), true
			}
		}
		s.Sheet.Handle(msg)
	}
	return nil, false
}

// step chooses another message.
func (s *factSheet) step(n int) {
	if f := len(s.from); f > 0 {
		s.at = (s.at + n + f) % f
	}
}

// mostSources bounds how many messages a sheet shows.
const mostSources = 200

// Hints implements widget.Dialog.
func (s *factSheet) Hints() string {
	var list []string
	if len(s.from) > 1 {
		list = append(list, "tab next")
	}
	if len(s.from) > 0 {
		list = append(list, "S go to message")
	}
	for _, a := range s.p.list() {
		if a.action.Name != share || len(s.p.view.Cast) > 0 {
			list = append(list, a.letter+" "+a.words)
		}
	}
	return widget.Hints(append(list, "esc close", widget.FullHelp)...)
}

// Draw implements widget.Dialog.
func (s *factSheet) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	t := look.Lines{Width: max(1, w-5)}
	s.head(&t, lk)
	at := len(t.Text)
	if len(s.from) > 0 {
		t.Blank()
		t.Add(lk.Title, "Sources")
	}
	for i, m := range s.from[:min(len(s.from), mostSources)] {
		lead := "  "
		if i == s.at {
			lead, at = lk.Bar.Styled("▌")+" ", len(t.Text)
		}
		t.Hang(lead, lk.Base, "message "+strconv.Itoa(m.Number))
		if said, ok := s.p.Desk.Message(m.Message); ok {
			t.Hang("    ", lk.Dim, desk.Speaker(said)+": "+look.Within(said.Content, 100))
		}
	}
	in := look.Frame(buf, look.Centred(screen, w, len(t.Text)+2), lk, s.title, s.Hints())
	if in.Dy() < 1 {
		return nil
	}
	if len(s.from) > 1 && s.at > 0 {
		s.Sheet.Top = max(min(s.Sheet.Top, at), at+2-in.Dy())
	}
	s.Sheet.Draw(buf, in, t.Text, lk)
	return nil
}
