package library

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// maxCompared is the number of messages of a branch that are compared.
const maxCompared = 60

// compareSide is one side of a comparison, in paragraphs or messages.
type compareSide struct {
	title string
	parts []string
}

// comparison is a dialog with two texts side by side. From swipes of one reply, passages can be
// selected to make a new swipe.
type comparison struct {
	widget.Base
	host    pane.Host
	chat    storage.ChatID
	sides   []compareSide // two of them, or all swipes
	shown   [2]int        // indexes of the left and the right one
	col     int           // the focused one
	row     [2]int
	picks   []pick         // in the order in which they were chosen
	sibling storage.NodeID // a new take becomes a sibling of this one, "" for none
	sheets  [2]widget.Sheet
}

// pick is a selected passage.
type pick struct{ side, part int }

// compareSwipes opens the swipes of a reply, the shown one on the right.
func (r *Part) compareSwipes(m chats.Message) tea.Cmd {
	if m.Siblings < 2 {
		return r.host.Say(event.Info, "this message has only one swipe; "+
			r.host.Keys().Key(keys.Regenerate, keys.Browse)+" creates another")
	}
	eng, chat := r.host.Engine(), r.host.Play().Chat().Chat.ID
	return pane.Get(r.host, func() ([]chats.Message, error) {
		return eng.Chats.Swipes(chat, m.ID)
	}, func(takes []chats.Message) tea.Cmd {
		if len(takes) < 2 {
			return nil // one was deleted meanwhile
		}
		at := max(0, slices.IndexFunc(takes, func(t chats.Message) bool { return t.ID == m.ID }))
		left := at - 1
		if left < 0 {
			left = 1
		}
		r.host.Open(newComparison(r.host, chat, takes, left, at))
		return nil
	})
}

// newComparison compares swipes of one message.
func newComparison(d pane.Host, chat storage.ChatID, takes []chats.Message, left, right int) *comparison {
	c := &comparison{host: d, chat: chat, shown: [2]int{left, right}, col: 1}
	for i, t := range takes {
		c.sides = append(c.sides, compareSide{fmt.Sprintf("Swipe %d/%d", i+1, len(takes)), paragraphs(t.Content)})
	}
	if takes[right].Role == storage.Assistant {
		c.sibling = takes[right].ID
	}
	return c
}

// openComparison reads two branches and opens them side by side; if they begin with swipes of one
// reply, it opens those.
func openComparison(d pane.Host, chat storage.ChatID, a, b chats.Segment) tea.Cmd {
	eng := d.Engine()
	return d.Do(func() func() tea.Cmd {
		left, err := eng.Chats.SegmentMessages(chat, a.First, a.Last, maxCompared)
		var right []chats.Message
		if err == nil {
			right, err = eng.Chats.SegmentMessages(chat, b.First, b.Last, maxCompared)
		}
		return func() tea.Cmd {
			if err != nil {
				return d.Fail(err)
			}
			if len(left) > 0 && len(right) > 0 && left[0].Parent == right[0].Parent &&
				left[0].Role == storage.Assistant && right[0].Role == storage.Assistant && len(left)+len(right) == 2 {
				d.Open(newComparison(d, chat, []chats.Message{left[0], right[0]}, 0, 1))
				return nil
			}
			d.Open(&comparison{host: d, chat: chat, shown: [2]int{0, 1}, col: 1,
				sides: []compareSide{branchSide(a, left), branchSide(b, right)}})
			return nil
		}
	})
}

// branchSide returns a branch with a part for each message.
func branchSide(l chats.Segment, msgs []chats.Message) compareSide {
	s := compareSide{title: l.Name}
	if s.title == "" {
		s.title = l.Opening
	}
	for _, m := range msgs {
		text := m.Content
		if m.Picture != nil {
			text = "(a picture)"
		}
		if m.Name != "" {
			text = m.Name + "\n" + text
		}
		s.parts = append(s.parts, text)
	}
	if n := l.Messages - len(msgs); n > 0 {
		s.parts = append(s.parts, fmt.Sprintf("(%d more)", n))
	}
	return s
}

// paragraphs returns the passages of a text that can be selected.
func paragraphs(text string) []string {
	var out []string
	for _, p := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if strings.TrimSpace(p) != "" {
			out = append(out, strings.Trim(p, "\n"))
		}
	}
	return out
}

// pageStep is the number of parts that a page key moves.
const pageStep = 5

// Actions implements widget.Dialog.
func (c *comparison) Actions() []keys.Action {
	left := keys.Action{Name: keys.DialogLeft, Hint: "side", Until: keys.DialogRight,
		Do: keys.Does(func() { c.col = 0 })}
	right := keys.Action{Name: keys.DialogRight, Do: keys.Does(func() { c.col = 1 })}
	list := append([]keys.Action{left, right}, widget.Choosing(c.move, func() int { return pageStep })...)
	list = append(append(list, widget.Ends(c.move)...), c.Closing())
	if c.sibling == "" {
		return list
	}
	picked := func() bool { return len(c.picks) > 0 }
	return append([]keys.Action{
		{Name: keys.PaneMark, Hint: "select", Do: keys.Does(c.choose)},
		{Name: keys.DialogEnter, Hint: "create swipe", Do: c.create},
		{Name: keys.PaneEdit, Hint: "edit it first", Visible: picked, Do: func() tea.Cmd {
			c.Close()
			return c.host.EditText(c.text(), c.store)
		}},
		{Name: keys.DialogNext, Hint: "next swipe", Do: keys.Does(c.turn)},
	}, list...)
}

// Handle implements widget.Dialog: the wheel.
func (c *comparison) Handle(msg tea.Msg) (tea.Cmd, bool) {
	c.sheets[c.col].Handle(msg)
	return nil, false
}

// create makes a swipe of the selection.
func (c *comparison) create() tea.Cmd {
	if len(c.picks) == 0 {
		return c.host.Say(event.Info, "select passages first ("+c.Key(keys.PaneMark)+
			"): they form the new swipe in the order you select them")
	}
	c.Close()
	return c.store(c.text())
}

// move moves to another part of the column.
func (c *comparison) move(n int) {
	c.row[c.col] = max(0, min(c.row[c.col]+n, len(c.side(c.col).parts)-1))
}

// turn shows the next swipe in the column.
func (c *comparison) turn() {
	for range c.sides {
		if c.shown[c.col] = (c.shown[c.col] + 1) % len(c.sides); c.shown[c.col] != c.shown[1-c.col] {
			break
		}
	}
	c.row[c.col], c.sheets[c.col].Top = 0, 0
}

// choose adds the part to the new swipe, or removes it.
func (c *comparison) choose() {
	if len(c.side(c.col).parts) == 0 {
		return
	}
	p := pick{c.shown[c.col], c.row[c.col]}
	if i := slices.Index(c.picks, p); i >= 0 {
		c.picks = slices.Delete(c.picks, i, i+1)
		return
	}
	c.picks = append(c.picks, p)
	c.move(1)
}

func (c *comparison) side(col int) *compareSide { return &c.sides[c.shown[col]] }

// text returns the new swipe.
func (c *comparison) text() string {
	var parts []string
	for _, p := range c.picks {
		parts = append(parts, c.sides[p.side].parts[p.part])
	}
	return strings.Join(parts, "\n\n")
}

// store stores the new swipe.
func (c *comparison) store(text string) tea.Cmd {
	eng, chat, beside := c.host.Engine(), c.chat, c.sibling
	return pane.Get(c.host, func() (storage.NodeID, error) { return eng.Chats.CombineSwipes(chat, beside, text) },
		func(storage.NodeID) tea.Cmd {
			key := func(name keys.Name) string { return c.host.Keys().Key(name, keys.Browse) }
			return c.host.Say(event.Info, "new swipe created; "+key(keys.SwipeLeft)+" and "+key(keys.SwipeRight)+
				" switch between swipes")
		})
}

// Draw implements widget.Dialog.
func (c *comparison) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	title := "Compare"
	if n := len(c.picks); n > 0 {
		title += draw.Separator + draw.Plural(n, "passage") + " chosen"
	}
	in := draw.Frame(buf, uv.Rect(screen.Min.X, screen.Min.Y, screen.Dx(), screen.Dy()-1), sty, title, c.Hints())
	if in.Dx() < 4 || in.Dy() < 3 {
		return nil
	}
	if in.Dx() < 70 { // one at a time
		c.column(buf, in, c.col, sty)
		return nil
	}
	half := in.Dx() / 2
	c.column(buf, uv.Rect(in.Min.X, in.Min.Y, half-1, in.Dy()), 0, sty)
	for y := in.Min.Y; y < in.Max.Y; y++ {
		draw.Put(buf, in.Min.X+half-1, y, 1, sty.Border, "│")
	}
	c.column(buf, uv.Rect(in.Min.X+half+1, in.Min.Y, in.Dx()-half-1, in.Dy()), 1, sty)
	return nil
}

// column draws one of the two texts.
func (c *comparison) column(buf uv.ScreenBuffer, area uv.Rectangle, col int, sty *draw.Styles) {
	s := c.side(col)
	st := sty.Dim
	if col == c.col {
		st = sty.Title
	}
	draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, draw.Truncate(safetext.Line(s.title), area.Dx()))
	body := uv.Rect(area.Min.X, area.Min.Y+1, area.Dx()-1, area.Dy()-1)
	t := draw.Lines{Width: max(1, body.Dx()-3)}
	var starts []int
	for i, part := range s.parts {
		starts = append(starts, len(t.Text))
		at := col == c.col && i == c.row[col]
		mark, st := "   ", sty.Base
		if n := slices.Index(c.picks, pick{c.shown[col], i}); n >= 0 {
			mark = fmt.Sprintf("%-3s", fmt.Sprintf("%d.", n+1))
		}
		if at {
			st = sty.Selected
			if strings.TrimSpace(mark) == "" {
				mark = "›  "
			}
		}
		for j, l := range draw.Wrap(safetext.Block(part), t.Width) {
			lead := "   "
			if j == 0 {
				lead = mark
			}
			t.Text = append(t.Text, sty.Accent.Styled(lead)+st.Styled(l))
		}
		t.Blank()
	}
	c.reveal(col, starts, len(t.Text), body.Dy())
	c.sheets[col].Draw(buf, body, t.Text, sty)
}

// reveal scrolls to the current part.
func (c *comparison) reveal(col int, starts []int, n, page int) {
	if col != c.col || c.row[col] >= len(starts) {
		return
	}
	from, to := starts[c.row[col]], n
	if c.row[col]+1 < len(starts) {
		to = starts[c.row[col]+1]
	}
	sh := &c.sheets[col]
	if to > sh.Top+page {
		sh.Top = to - page
	}
	if from < sh.Top {
		sh.Top = from
	}
}
