package play

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// changes is a dialog over what was done to a chat, the newest first, with the words before
// and after each change. It undoes, does again, and gives a message an earlier text back.
type changes struct {
	widget.List
	d     desk.Desk
	chat  storage.ChatID
	of    chats.Message // that was selected when it opened; without an id where none was
	only  bool          // the earlier texts of that message alone
	all   []chats.Change
	rows  []chats.Change // that are shown
	reads widget.Latest
	order widget.InOrder
	whole bool // the lost text as a whole, instead of what changed
	sheet widget.Sheet
	area  uv.Rectangle // of the list

	lines []string
	laid  changesView // that lines show
}

// changesView names what is laid out.
type changesView struct {
	id     storage.ChangeID
	number int
	undone bool
	w, gen int
	whole  bool
}

// longestCompared is how many bytes two texts may have to be compared word by word.
const longestCompared = 64 << 10

// openChanges shows what was done to the chat.
func openChanges(r *Room) tea.Cmd {
	c := &changes{d: r.desk, chat: r.view.Chat.ID}
	if m, ok := r.Selected(); ok {
		c.of = m
	}
	return c.read(func() tea.Cmd {
		if len(c.all) == 0 {
			return r.desk.Say(event.Info, "nothing has been changed in this chat yet")
		}
		r.desk.Open(c)
		return nil
	})
}

// read reads the changes, then does what is asked.
func (c *changes) read(then func() tea.Cmd) tea.Cmd {
	newest := c.reads.Begin()
	return desk.Get(c.d, func() ([]chats.Change, error) { return c.d.Engine().Chats.Changes(c.chat, "") }, func(list []chats.Change) tea.Cmd {
		if !newest() {
			return nil
		}
		c.all = list
		c.narrow()
		if then == nil {
			return nil
		}
		return then()
	})
}

// narrow chooses what is shown; the chosen change stays chosen.
func (c *changes) narrow() {
	var was storage.ChangeID
	if c.At < len(c.rows) {
		was = c.rows[c.At].ID
	}
	c.rows, c.laid = nil, changesView{}
	for _, x := range c.all {
		if c.only && (!x.Restorable || x.Message != c.of.ID) {
			continue
		}
		if x.ID == was && was != "" {
			c.At = len(c.rows)
		}
		c.rows = append(c.rows, x)
	}
	c.At = max(0, min(c.At, len(c.rows)-1))
}

// Handle implements widget.Dialog.
func (c *changes) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		c.sheet.Handle(msg)
	case tea.MouseClickMsg:
		if i := c.Top + m.Y - c.area.Min.Y; m.Y >= c.area.Min.Y && m.Y < c.area.Max.Y && i < len(c.rows) {
			c.choose(i)
		}
	case tea.KeyPressMsg:
		return c.key(m)
	}
	return nil, false
}

func (c *changes) key(m tea.KeyPressMsg) (tea.Cmd, bool) {
	switch widget.KeyName(m) {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "up", "k":
		c.choose(c.At - 1)
	case "down", "j":
		c.choose(c.At + 1)
	case "home", "g":
		c.choose(0)
	case "end", "G":
		c.choose(len(c.rows) - 1)
	case "D", "v":
		c.whole, c.sheet.Top = !c.whole, 0
	case "tab", "m":
		if c.of.ID != "" {
			c.only, c.sheet.Top = !c.only, 0
			c.narrow()
		}
	case "enter":
		return c.restore(), false
	case "u":
		return c.step("undone: ", c.d.Engine().Chats.StepBack), false
	case "r", "R":
		return c.step("again: ", c.d.Engine().Chats.StepForward), false
	default:
		c.sheet.Handle(m)
	}
	return nil, false
}

func (c *changes) choose(i int) {
	c.At, c.sheet.Top = max(0, min(i, len(c.rows)-1)), 0
}

// step goes one change back or forth, and says which that was.
func (c *changes) step(done string, do func(storage.ChatID) (chats.Change, error)) tea.Cmd {
	return c.order.Do(c.d, func() func() tea.Cmd {
		x, err := do(c.chat)
		return func() tea.Cmd {
			if err != nil {
				return c.d.Fail(err)
			}
			return tea.Batch(c.d.Say(event.Info, done+look.Within(x.Words(), 120)), c.read(nil))
		}
	})
}

// restore gives a message the text back that the chosen change took from it. Nothing is
// lost by that, so nobody is asked.
func (c *changes) restore() tea.Cmd {
	if c.At >= len(c.rows) {
		return nil
	}
	x := c.rows[c.At]
	if !x.Restorable {
		return c.d.Say(event.Info, "this change removed no text: u undoes changes one by one")
	}
	return c.order.Do(c.d, func() func() tea.Cmd {
		err := c.d.Engine().Chats.Restore(c.chat, x.ID)
		return func() tea.Cmd {
			if err != nil {
				return c.d.Fail(err)
			}
			return tea.Batch(c.d.Say(event.Info, "earlier text restored; u undoes it"), c.read(func() tea.Cmd {
				c.choose(0)
				return nil
			}))
		}
	})
}

// Hints implements widget.Dialog.
func (c *changes) Hints() string {
	var hints []string
	gave := c.At < len(c.rows) && c.rows[c.At].Restorable
	if gave {
		hints = append(hints, "enter restore text")
	}
	hints = append(hints, "u undo", "r redo")
	switch {
	case c.of.ID == "":
	case c.only:
		hints = append(hints, "m all changes")
	default:
		hints = append(hints, "m only this message")
	}
	switch {
	case !gave:
	case c.whole:
		hints = append(hints, "D what changed")
	default:
		hints = append(hints, "D old text")
	}
	return widget.Hints(append(hints, "↑↓ change", "pgdn scroll", "esc close", widget.FullHelp)...)
}

// Draw implements widget.Dialog.
func (c *changes) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	lines := c.layout(max(1, w-5), lk)
	rows := max(1, min(len(c.rows), max(2, screen.Dy()/3)))
	title := "Edit history"
	if c.only {
		title = "Edit history of " + look.Clip(desk.Speaker(c.of), 30)
	}
	in := look.Frame(buf, look.Centred(screen, w, rows+1+len(lines)+2), lk, title, c.Hints())
	if in.Dy() < 3 {
		return nil
	}
	c.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), min(rows, in.Dy()-2))
	from, to := c.View(len(c.rows), 1, c.area.Dy())
	for i := from; i < to; i++ {
		c.row(buf, in.Min.X, in.Min.Y+i-from, in.Dx(), i, lk)
	}
	if len(c.rows) == 0 {
		look.Put(buf, in.Min.X, in.Min.Y, in.Dx(), lk.Dim, "this message has not been edited")
	}
	look.Scrollbar(buf, uv.Rect(in.Max.X, in.Min.Y, 1, c.area.Dy()), from, len(c.rows), lk)
	look.Put(buf, in.Min.X, c.area.Max.Y, in.Dx(), lk.Border, strings.Repeat("─", in.Dx()))
	c.sheet.Draw(buf, uv.Rect(in.Min.X, c.area.Max.Y+1, in.Dx(), in.Max.Y-c.area.Max.Y-1), lines, lk)
	return nil
}

// row is a change: what it was, when, and whether it holds.
func (c *changes) row(buf uv.ScreenBuffer, x, y, w, i int, lk *look.Look) {
	v := c.rows[i]
	st, dim := lk.Base, lk.Dim
	if v.Undone || v.Spent {
		st = lk.Dim
	}
	if i == c.At {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), st)
	}
	ago := "earlier"
	if !v.At.IsZero() {
		ago = look.Ago(time.Now(), v.At)
	}
	room := look.PutRight(buf, x, y, w, dim, ago) - x - 1
	mark := "  "
	switch {
	case v.Next:
		mark = "● "
	case v.Redo:
		mark = "○ "
	}
	n := look.Put(buf, x, y, room, st, fmt.Sprintf("%s%d  %s", mark, v.Number, look.Within(v.Words(), 200)))
	if state := v.State(); state != "" && room-n > 10 {
		look.Put(buf, x+n+2, y, room-n-2, dim, state)
	}
}

// layout are the lines about the chosen change, laid out once until something changes.
func (c *changes) layout(w int, lk *look.Look) []string {
	if c.At >= len(c.rows) {
		return nil
	}
	v := c.rows[c.At]
	is := changesView{v.ID, v.Number, v.Undone, w, lk.Gen, c.whole}
	if c.laid == is {
		return c.lines
	}
	c.laid = is
	t := look.Lines{Width: w}
	switch {
	case c.whole && v.Restorable:
		t.Add(lk.Base, look.UpTo(v.Lost(), look.LongestRead))
	case v.Was+v.Now == "":
		t.Add(lk.Dim, v.State())
	case v.Was != "" && v.Now != "" && len(v.Was)+len(v.Now) <= longestCompared:
		c.lines = wordDiff(scene.DiffWords(v.Was, v.Now), w, lk)
		return c.lines
	default:
		for _, part := range []struct {
			sign, text string
			st         uv.Style
		}{{"− ", v.Was, lk.Failure}, {"+ ", v.Now, lk.Success}} {
			if part.text != "" {
				t.Hang(part.st.Styled(part.sign), part.st, look.UpTo(part.text, look.LongestRead))
			}
		}
	}
	c.lines = t.Text
	return c.lines
}
