package play

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// changesDialog lists the changes of a chat, the newest first, with the text before and after each
// change. It undoes, redoes, and restores an earlier text of a message.
type changesDialog struct {
	pane.ListDialog[chats.Change]
	chat  storage.ChatID
	of    chats.Message // selected when it opened; without an id if none was
	only  bool          // shows only the earlier texts of message of
	all   []chats.Change
	reads widget.Latest
	order widget.Sequence
	whole bool // the whole lost text, instead of the changes
	laid  laidChange
}

// laidChange is the last layout of a change's text.
type laidChange struct {
	of     chats.Change
	w, gen int
	whole  bool
	lines  []string
}

// maxComparedLen is the maximum number of bytes of two texts that are compared word by word.
const maxComparedLen = 64 << 10

// openChanges shows the changes of the chat.
func openChanges(r *Part) tea.Cmd {
	c := &changesDialog{chat: r.view.Chat.ID}
	c.List = pane.NewList[chats.Change](r.host, 1)
	c.ID = func(x *chats.Change) string { return cmp.Or(string(x.ID), strconv.Itoa(x.Number)) }
	c.Row, c.Text, c.Own = c.row, c.text, c.actions()
	c.Empty = func() string { return "This message has not been edited." }
	if m, ok := r.Selected(); ok {
		c.of = m
	}
	return c.read(func() tea.Cmd {
		if len(c.all) == 0 {
			return r.host.Say(event.Info, "nothing has been changed in this chat yet")
		}
		r.host.Open(c)
		return nil
	})
}

// read reads the changes, then calls then, which may be nil.
func (c *changesDialog) read(then func() tea.Cmd) tea.Cmd {
	newest := c.reads.Begin()
	return pane.Get(c.Host, func() ([]chats.Change, error) {
		return c.Host.Engine().Chats.Changes(c.chat, "")
	}, func(list []chats.Change) tea.Cmd {
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

// narrow chooses the changes to show.
func (c *changesDialog) narrow() {
	rows := c.all
	if c.Title = "Edit history"; c.only {
		c.Title += " of " + draw.Clip(pane.Speaker(c.of), 30)
		rows = slices.DeleteFunc(slices.Clone(rows), func(x chats.Change) bool {
			return !x.Restorable || x.Message != c.of.ID
		})
	}
	c.Show(rows)
}

func (c *changesDialog) actions() []keys.Action {
	history := c.Host.Engine().Chats
	return []keys.Action{
		{Name: keys.DialogEnter, Hint: "restore text", Unavailable: c.whyNotRestore, Do: c.On(c.restore)},
		{Name: keys.PaneUndo, Hint: "undo", Do: func() tea.Cmd { return c.step("undone: ", history.StepBack) }},
		{Name: keys.PaneRedo, Hint: "redo", Do: func() tea.Cmd { return c.step("again: ", history.StepForward) }},
		{Name: keys.DialogNext, Label: c.onlyWords, Visible: func() bool { return c.of.ID != "" },
			Do: keys.Does(func() { c.only = !c.only; c.narrow() })},
		{Name: keys.PaneDiff, Label: c.wholeWords, Visible: func() bool { return c.whyNotRestore() == "" },
			Do: keys.Does(func() { c.whole = !c.whole })},
	}
}

func (c *changesDialog) onlyWords() string {
	if c.only {
		return "all changes"
	}
	return "only this message"
}

func (c *changesDialog) wholeWords() string {
	if c.whole {
		return "what changed"
	}
	return "old text"
}

// whyNotRestore returns the reason why the chosen change has no text to restore, "" if it has.
func (c *changesDialog) whyNotRestore() string {
	if x := c.Item(); x != nil && x.Restorable {
		return ""
	}
	return "this change removed no text: " + c.Key(keys.PaneUndo) + " undoes changes one by one"
}

// step goes one change back or forward, and reports which one.
func (c *changesDialog) step(done string, do func(storage.ChatID) (chats.Change, error)) tea.Cmd {
	return c.order.Do(c.Host, func() func() tea.Cmd {
		x, err := do(c.chat)
		return func() tea.Cmd {
			if err != nil {
				return c.Host.Fail(err)
			}
			return tea.Batch(c.Host.Say(event.Info, done+draw.Truncate(x.Text(), 120)), c.read(nil))
		}
	})
}

// restore restores the text that the chosen change removed from a message. Nothing is lost, so it
// does not ask.
func (c *changesDialog) restore(x chats.Change) tea.Cmd {
	return c.order.Do(c.Host, func() func() tea.Cmd {
		err := c.Host.Engine().Chats.Restore(c.chat, x.ID)
		return func() tea.Cmd {
			if err != nil {
				return c.Host.Fail(err)
			}
			return tea.Batch(c.Host.Say(event.Info, "earlier text restored; "+c.Key(keys.PaneUndo)+" undoes it"),
				c.read(keys.Does(func() { c.Move(-c.At) })))
		}
	})
}

// row returns the row of a change: what it was, when, and whether it is in effect.
func (c *changesDialog) row(x *chats.Change, _ int) pane.Row {
	r := pane.Row{Text: fmt.Sprintf("%d  %s", x.Number, draw.Truncate(x.Text(), 200)), Column: x.State(),
		Right: "earlier",
		Faint: x.Undone || x.Spent}
	if !x.At.IsZero() {
		r.Right = draw.Ago(time.Now(), x.At)
	}
	switch {
	case x.Next:
		r.Sign = "●"
	case x.Redo:
		r.Sign = "○"
	}
	return r
}

// text returns the lines about a change, laid out once until something changes.
func (c *changesDialog) text(x *chats.Change, w int) []string {
	sty, l := c.Host.Styles(), &c.laid
	if l.of != *x || l.w != w || l.gen != sty.Gen || l.whole != c.whole {
		*l = laidChange{*x, w, sty.Gen, c.whole, c.layout(x, w, sty)}
	}
	return l.lines
}

func (c *changesDialog) layout(x *chats.Change, w int, sty *draw.Styles) []string {
	t := draw.Lines{Width: w}
	switch {
	case c.whole && x.Restorable:
		t.Add(sty.Base, draw.UpTo(x.Lost(), draw.MaxReadLen))
	case x.Was+x.Now == "":
		t.Add(sty.Dim, x.State())
	case x.Was != "" && x.Now != "" && len(x.Was)+len(x.Now) <= maxComparedLen:
		return wordDiff(scene.DiffWords(x.Was, x.Now), w, sty)
	default:
		for _, part := range []struct {
			sign, text string
			st         uv.Style
		}{{"− ", x.Was, sty.Failure}, {"+ ", x.Now, sty.Success}} {
			if part.text != "" {
				t.Hang(part.st.Styled(part.sign), part.st, draw.UpTo(part.text, draw.MaxReadLen))
			}
		}
	}
	return t.Text
}
