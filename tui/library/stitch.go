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

// compared is how many messages of a branch are compared at most.
const compared = 60

// side is a text that stands beside another, in paragraphs or messages.
type side struct {
	title string
	parts []string
}

// comparison is a dialog over two texts side by side. Of takes of one reply, passages
// can be chosen, which make another take.
type comparison struct {
	widget.Base
	host   pane.Host
	chat   storage.ChatID
	sides  []side // two of them, or all takes
	pair   [2]int // which ones stand left and right
	col    int    // that the keys are in
	row    [2]int
	picks  []pick         // in the order in which they were chosen
	beside storage.NodeID // the take beside which a new one is put, "" for none
	sheets [2]widget.Sheet
}

// pick is a passage that was chosen.
type pick struct{ side, part int }

// compareTakes opens the takes of a reply, the shown one at the right.
func (r *Part) compareTakes(m chats.Message) tea.Cmd {
	if m.Siblings < 2 {
		return r.host.Say(event.Info, "this message has only one swipe; "+r.host.Keys().Key(keys.Regenerate, keys.Browse)+" creates another")
	}
	eng, chat := r.host.Engine(), r.host.Play().Chat().Chat.ID
	return pane.Get(r.host, func() ([]chats.Message, error) { return eng.Chats.Takes(chat, m.ID) }, func(takes []chats.Message) tea.Cmd {
		if len(takes) < 2 {
			return nil // one was deleted meanwhile
		}
		at := max(0, slices.IndexFunc(takes, func(t chats.Message) bool { return t.ID == m.ID }))
		left := at - 1
		if left < 0 {
			left = 1
		}
		r.host.Open(newStitch(r.host, chat, takes, left, at))
		return nil
	})
}

// newStitch compares takes of one message.
func newStitch(d pane.Host, chat storage.ChatID, takes []chats.Message, left, right int) *comparison {
	c := &comparison{host: d, chat: chat, pair: [2]int{left, right}, col: 1}
	for i, t := range takes {
		c.sides = append(c.sides, side{fmt.Sprintf("Swipe %d/%d", i+1, len(takes)), paragraphs(t.Content)})
	}
	if takes[right].Role == storage.Assistant {
		c.beside = takes[right].ID
	}
	return c
}

// openComparison reads two branches and opens them side by side; where they begin with
// takes of one reply, these.
func openComparison(d pane.Host, chat storage.ChatID, a, b chats.Segment) tea.Cmd {
	eng := d.Engine()
	return d.Do(func() func() tea.Cmd {
		left, err := eng.Chats.SegmentMessages(chat, a.First, a.Last, compared)
		var right []chats.Message
		if err == nil {
			right, err = eng.Chats.SegmentMessages(chat, b.First, b.Last, compared)
		}
		return func() tea.Cmd {
			if err != nil {
				return d.Fail(err)
			}
			if len(left) > 0 && len(right) > 0 && left[0].Parent == right[0].Parent && left[0].Role == storage.Assistant && right[0].Role == storage.Assistant && len(left)+len(right) == 2 {
				d.Open(newStitch(d, chat, []chats.Message{left[0], right[0]}, 0, 1))
				return nil
			}
			d.Open(&comparison{host: d, chat: chat, pair: [2]int{0, 1}, col: 1, sides: []side{legSide(a, left), legSide(b, right)}})
			return nil
		}
	})
}

// legSide is a branch, a part for each message.
func legSide(l chats.Segment, msgs []chats.Message) side {
	s := side{title: l.Name}
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

// paragraphs are the passages of a text that can be chosen one by one.
func paragraphs(text string) []string {
	var out []string
	for _, p := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if strings.TrimSpace(p) != "" {
			out = append(out, strings.Trim(p, "\n"))
		}
	}
	return out
}

// onePage is how many parts further a page is.
const onePage = 5

// Actions implements widget.Dialog.
func (c *comparison) Actions() []keys.Action {
	left := keys.Action{Name: keys.DialogLeft, Hint: "side", Until: keys.DialogRight, Do: keys.Does(func() { c.col = 0 })}
	right := keys.Action{Name: keys.DialogRight, Do: keys.Does(func() { c.col = 1 })}
	list := append([]keys.Action{left, right}, widget.Choosing(c.move, func() int { return onePage })...)
	list = append(append(list, widget.Ends(c.move)...), c.Closing())
	if c.beside == "" {
		return list
	}
	picked := func() bool { return len(c.picks) > 0 }
	return append([]keys.Action{
		{Name: keys.PaneMark, Hint: "select", Do: keys.Does(c.choose)},
		{Name: keys.DialogEnter, Hint: "create swipe", Do: c.create},
		{Name: keys.PaneEdit, Hint: "edit it first", Here: picked, Do: func() tea.Cmd {
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

// create makes a swipe of what is selected.
func (c *comparison) create() tea.Cmd {
	if len(c.picks) == 0 {
		return c.host.Say(event.Info, "select passages first ("+c.Key(keys.PaneMark)+"): they form the new swipe in the order you select them")
	}
	c.Close()
	return c.store(c.text())
}

// move goes to another part of the column.
func (c *comparison) move(n int) {
	c.row[c.col] = max(0, min(c.row[c.col]+n, len(c.side(c.col).parts)-1))
}

// turn puts the next take into the column.
func (c *comparison) turn() {
	for range c.sides {
		if c.pair[c.col] = (c.pair[c.col] + 1) % len(c.sides); c.pair[c.col] != c.pair[1-c.col] {
			break
		}
	}
	c.row[c.col], c.sheets[c.col].Top = 0, 0
}

// choose takes the part into the new take, or leaves it out.
func (c *comparison) choose() {
	if len(c.side(c.col).parts) == 0 {
		return
	}
	p := pick{c.pair[c.col], c.row[c.col]}
	if i := slices.Index(c.picks, p); i >= 0 {
		c.picks = slices.Delete(c.picks, i, i+1)
		return
	}
	c.picks = append(c.picks, p)
	c.move(1)
}

func (c *comparison) side(col int) *side { return &c.sides[c.pair[col]] }

// text is the new take.
func (c *comparison) text() string {
	var parts []string
	for _, p := range c.picks {
		parts = append(parts, c.sides[p.side].parts[p.part])
	}
	return strings.Join(parts, "\n\n")
}

// store keeps the new take.
func (c *comparison) store(text string) tea.Cmd {
	eng, chat, beside := c.host.Engine(), c.chat, c.beside
	return pane.Get(c.host, func() (storage.NodeID, error) { return eng.Chats.Stitch(chat, beside, text) }, func(storage.NodeID) tea.Cmd {
		key := func(name keys.Name) string { return c.host.Keys().Key(name, keys.Browse) }
		return c.host.Say(event.Info, "new swipe created; "+key(keys.SwipeLeft)+" and "+key(keys.SwipeRight)+" switch between swipes")
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
	draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, draw.Within(safetext.Line(s.title), area.Dx()))
	body := uv.Rect(area.Min.X, area.Min.Y+1, area.Dx()-1, area.Dy()-1)
	t := draw.Lines{Width: max(1, body.Dx()-3)}
	var starts []int
	for i, part := range s.parts {
		starts = append(starts, len(t.Text))
		at := col == c.col && i == c.row[col]
		mark, st := "   ", sty.Base
		if n := slices.Index(c.picks, pick{c.pair[col], i}); n >= 0 {
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

// reveal brings the part that the keys are at into view.
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
