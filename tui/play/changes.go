package play

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// changes is a dialog over what was done to a chat, the newest first, with the words before
// and after each change. It undoes, does again, and gives a message an earlier text back.
type changes struct {
	splitDialog
	d     desk.Desk
	chat  storage.ChatID
	of    chats.Message // that was selected when it opened; without an id where none was
	only  bool          // the earlier texts of that message alone
	all   []chats.Change
	rows  []chats.Change // that are shown
	reads widget.Latest
	order widget.InOrder
	whole bool // the lost text as a whole, instead of what changed

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
	c.N = len(c.rows)
	c.Move(0)
}

// Actions implements widget.Dialog.
func (c *changes) Actions() []keys.Action {
	history := c.d.Engine().Chats
	return append([]keys.Action{
		{Name: keys.DialogEnter, Hint: "restore text", When: c.whyNotRestore, Do: c.restore},
		{Name: keys.PaneUndo, Hint: "undo", Do: func() tea.Cmd { return c.step("undone: ", history.StepBack) }},
		{Name: keys.PaneRedo, Hint: "redo", Do: func() tea.Cmd { return c.step("again: ", history.StepForward) }},
		{Name: keys.DialogNext, Label: c.onlyWords, Here: func() bool { return c.of.ID != "" }, Do: keys.Does(func() {
			c.only, c.sheet.Top = !c.only, 0
			c.narrow()
		})},
		{Name: keys.PaneDiff, Label: c.wholeWords, Here: func() bool { return c.whyNotRestore() == "" },
			Do: keys.Does(func() { c.whole, c.sheet.Top = !c.whole, 0 })},
	}, c.moving()...)
}

func (c *changes) onlyWords() string {
	if c.only {
		return "all changes"
	}
	return "only this message"
}

func (c *changes) wholeWords() string {
	if c.whole {
		return "what changed"
	}
	return "old text"
}

// whyNotRestore says that the chosen change took no text away, "" where it did.
func (c *changes) whyNotRestore() string {
	if c.At < len(c.rows) && c.rows[c.At].Restorable {
		return ""
	}
	return "this change removed no text: " + c.Key(keys.PaneUndo) + " undoes changes one by one"
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
	x := c.rows[c.At]
	return c.order.Do(c.d, func() func() tea.Cmd {
		err := c.d.Engine().Chats.Restore(c.chat, x.ID)
		return func() tea.Cmd {
			if err != nil {
				return c.d.Fail(err)
			}
			return tea.Batch(c.d.Say(event.Info, "earlier text restored; "+c.Key(keys.PaneUndo)+" undoes it"),
				c.read(keys.Does(func() { c.move(-c.At) })))
		}
	})
}

// Draw implements widget.Dialog.
func (c *changes) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	title := "Edit history"
	if c.only {
		title = "Edit history of " + look.Clip(desk.Speaker(c.of), 30)
	}
	lines := c.layout(linesWidth(screen), lk)
	c.draw(buf, screen, title, "this message has not been edited", len(c.rows), lines, lk,
		func(line uv.Rectangle, i int) { c.row(buf, line, i, lk) })
	return nil
}

// row is a change: what it was, when, and whether it holds.
func (c *changes) row(buf uv.ScreenBuffer, line uv.Rectangle, i int, lk *look.Look) {
	v, x, y := c.rows[i], line.Min.X, line.Min.Y
	st, dim := lk.Base, lk.Dim
	if v.Undone || v.Spent {
		st = lk.Dim
	}
	if i == c.At {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, line, st)
	}
	ago := "earlier"
	if !v.At.IsZero() {
		ago = look.Ago(time.Now(), v.At)
	}
	room := look.PutRight(buf, x, y, line.Dx(), dim, ago) - x - 1
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
