package play

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Part) edit(m chats.Message) tea.Cmd {
	if m.Role == storage.SceneCapture {
		return r.host.Run(keys.Open)
	}
	openEditor(r, m)
	return nil
}

// openEditor opens the text of a message.
func openEditor(r *Part, m chats.Message) *widget.Input {
	chat := r.view.Chat.ID
	f := &widget.Form{Title: "Edit what " + pane.Speaker(m) + " said",
		Fields: []*widget.Field{widget.TextField(r.host.Styles(), "", m.Content, 20)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		if !f.Changed() {
			return nil, nil
		}
		text := f.Fields[0].Value()
		return pane.Try(r.host, func() error { return r.host.Engine().Chats.Edit(chat, m.ID, text) }), nil
	}
	in := f.Fields[0].Input
	pane.EditorKey(r.host, f, in)
	rewrites := func(name keys.Name, words string, on bool) keys.Action {
		return keys.Action{Name: name, Hint: words, Do: func() tea.Cmd { return openRewriting(r, in, m.ID, on, nil) }}
	}
	f.Keys = append(f.Keys, rewrites(keys.Rewrite, "rewrite", false), rewrites(keys.WriteOn, "continue here", true))
	r.host.Open(f.Start())
	return in
}

// rewriteIt rewrites the composer's text or, while browsing, the selected message. If on is set,
// the model continues the text instead.
func rewriteIt(r *Part, on bool) tea.Cmd {
	if r.host.Mode() == keys.Write {
		return openRewriting(r, r.composer.in, "", on, r.composer.edited)
	}
	m, ok := r.Selected()
	if !ok || m.Role == storage.SceneCapture {
		return r.host.Say(event.Info, "this message has no text")
	}
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	in := openEditor(r, m)
	if on {
		in.Area.MoveToEnd()
	}
	return openRewriting(r, in, m.ID, on, nil)
}

func (r *Part) remove(m chats.Message) tea.Cmd {
	chat := r.view.Chat.ID
	take := func(work func() error) func() tea.Cmd {
		return func() tea.Cmd { return pane.Try(r.host, work) }
	}
	drop := func(below bool) func() tea.Cmd {
		return take(func() error { return r.host.Engine().Chats.Delete(chat, m.ID, below) })
	}
	text := draw.Clip(safetext.Line(m.Content), 50)
	undoes := ""
	if k := r.host.Keys().Key(keys.Undo, keys.Browse); k != "" {
		undoes = " (" + k + " undoes it)"
	}
	choices := []widget.Choice{{Key: "d", Words: "delete this message" + undoes, Do: drop(false)}}
	if m.Siblings > 1 {
		choices = []widget.Choice{
			{Key: "d", Words: fmt.Sprintf("delete this swipe, %d of %d", m.At+1, m.Siblings) + undoes, Do: drop(false)},
			{Key: "t", Words: "delete all its swipes" + undoes,
				Do: take(func() error { return r.host.Engine().Chats.DeleteSwipes(chat, m.ID) })},
		}
	}
	choices = append(choices, widget.Choice{Key: "a", Words: "delete it and all after it", Do: drop(true)})
	r.host.Open(&widget.Confirm{Title: "Delete", Text: pane.Speaker(m) + ": " + text, Choices: choices})
	return nil
}

func (r *Part) undo() tea.Cmd {
	id := r.view.Chat.ID
	return pane.Get(r.host, func() (chats.Change, error) { return r.host.Engine().Chats.StepBack(id) },
		func(c chats.Change) tea.Cmd {
			return r.host.Say(event.Info, "undone: "+draw.Truncate(c.Text(), 120))
		})
}

// redo redoes the change that was undone last.
func redo(r *Part) tea.Cmd {
	id := r.view.Chat.ID
	return pane.Get(r.host, func() (chats.Change, error) { return r.host.Engine().Chats.StepForward(id) },
		func(c chats.Change) tea.Cmd {
			return r.host.Say(event.Info, "redone: "+draw.Truncate(c.Text(), 120))
		})
}

func (r *Part) branch(m chats.Message) tea.Cmd {
	chat := r.view.Chat.ID
	r.screen.SetMode(keys.Write)
	return r.host.Do(func() func() tea.Cmd {
		err := r.host.Engine().Chats.Branch(chat, m.ID)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			back := r.host.Keys().Key(keys.SwipeLeft, keys.Browse)
			return r.host.Say(event.Info, "a new branch starts here with your next message; "+back+
				" goes back to the old one")
		}
	})
}

// swipe moves one swipe of the last reply forward or back, and forward from the last one makes a
// new one. At a branch without messages, it moves back to the earlier reply. It reports whether it
// handled the key: it does not while the composer has text or a reply is written, nor after the
// user's own message.
func (c *composer) swipe(step int) (tea.Cmd, bool) {
	r := c.part
	m, ok := r.LastMessage()
	if !ok || c.in.Value() != "" || c.hasSuggestion() || r.turn.running {
		return nil, false
	}
	if m.Role != storage.Assistant && !(r.view.Fork && step < 0) {
		return nil, false
	}
	return r.swipe(m, step), true
}

func (r *Part) copy(m chats.Message) tea.Cmd {
	return r.host.Copy(m.Text(), "")
}

func (r *Part) foldThinking(m chats.Message) tea.Cmd {
	if i := r.list.Find(m.ID); i >= 0 {
		it := r.list.Items[i]
		it.Unfolded = !it.Unfolded
	}
	return nil
}
