package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	playroom "ghostlight/tui/play"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

// actions is what each action does, by what it needs: nothing, or a message.
type actions struct {
	declared map[keys.Action]*desk.Action // by the rooms
	plain    map[keys.Action]func(*app) tea.Cmd
	message  map[keys.Action]func(*app, *playroom.Item) tea.Cmd
}

// Run does an action, however the user asked for it.
func (a *app) Run(act keys.Action) tea.Cmd {
	if a.mode == keys.Pane {
		if d := a.paneAction(act); d != nil {
			return a.perform(d)
		}
	}
	if d, ok := a.actions.declared[act]; ok {
		return a.perform(d)
	}
	if f, ok := a.actions.plain[act]; ok {
		return f(a)
	}
	if f, ok := a.actions.message[act]; ok {
		it := a.play.Current()
		if it == nil {
			return a.Say(event.Info, "there is no message yet")
		}
		return f(a, it)
	}
	if d := a.paneAction(act); d != nil {
		return a.perform(d)
	}
	if p, ok := a.pane.(desk.Other); ok {
		return p.Other(act)
	}
	return nil
}

// perform does what was declared, or says why it cannot be done now.
func (a *app) perform(d *desk.Action) tea.Cmd {
	if d.When != nil {
		if why := d.When(); why != "" {
			return a.Say(event.Info, why)
		}
	}
	if d.Message == nil {
		return d.Do()
	}
	m, ok := a.Selected()
	if !ok {
		return a.Say(event.Info, "there is no message yet")
	}
	return d.Message(m)
}

func newActions() actions {
	all := actions{plain: map[keys.Action]func(*app) tea.Cmd{}, message: map[keys.Action]func(*app, *playroom.Item) tea.Cmd{}}
	all.house()
	all.play()
	all.messages()
	all.cast()
	return all
}

func (all actions) house() {
	do := all.plain
	do[keys.Quit] = func(a *app) tea.Cmd { return a.quit() }
	do[keys.Interrupt] = (*app).interrupt
	do[keys.Suspend] = func(a *app) tea.Cmd { a.term.give(); return tea.Suspend }
	do[keys.Redraw] = func(a *app) tea.Cmd { a.painter.Redraw(); return nil }
	do[keys.Palette] = (*app).openPalette
	do[keys.Help] = (*app).openHelp
	do[keys.AuthorNote] = (*app).openAuthorNote
	do[keys.PaneClose] = func(a *app) tea.Cmd { a.closePane(); return nil }
	do[keys.PaneFocus] = (*app).focusPane

}

func (all actions) play() {
	do := all.plain
	do[keys.Send] = (*app).sendMessage
	do[keys.Newline] = func(a *app) tea.Cmd { a.composer.in.Insert("\n"); return a.composer.edited(a) }
	do[keys.ToBrowse] = (*app).toBrowse
	do[keys.ToWrite] = func(a *app) tea.Cmd { a.mode = keys.Write; a.play.Bottom(); return nil }
	do[keys.OlderSent] = func(a *app) tea.Cmd { return a.composer.recall(-1, a) }
	do[keys.NewerSent] = func(a *app) tea.Cmd { return a.composer.recall(1, a) }
	do[keys.EditDraft] = (*app).editDraft
	do[keys.Impersonate] = (*app).impersonate
	do[keys.PageUp] = func(a *app) tea.Cmd { a.play.Scroll(max(1, a.play.Height-2)); return a.older() }
	do[keys.PageDown] = func(a *app) tea.Cmd { a.play.Scroll(-max(1, a.play.Height-2)); return nil }
	do[keys.SelectUp] = func(a *app) tea.Cmd { a.play.Choose(a.play.Selected - 1); return a.older() }
	do[keys.SelectDown] = func(a *app) tea.Cmd { a.play.Choose(a.play.Selected + 1); return nil }
	do[keys.First] = (*app).toFirst
	do[keys.Last] = func(a *app) tea.Cmd { a.play.Bottom(); return nil }
	do[keys.Continue] = (*app).continueReply
	do[keys.Undo] = func(a *app) tea.Cmd {
		id := a.view.Chat.ID
		return desk.Try(a, func() error { return a.eng.Chats.Undo(id) })
	}
	do[keys.StopReply] = (*app).stop
	do[keys.Search] = (*app).openSearch
	do[keys.SearchNext] = (*app).searchNext

}

func (all actions) messages() {
	do := all.message
	do[keys.SwipeLeft] = func(a *app, it *playroom.Item) tea.Cmd { return a.swipe(it, -1) }
	do[keys.SwipeRight] = func(a *app, it *playroom.Item) tea.Cmd { return a.swipe(it, 1) }
	do[keys.Edit] = (*app).editMessage
	do[keys.Regenerate] = (*app).regenerate
	do[keys.Delete] = (*app).deleteMessage
	do[keys.Branch] = (*app).branch
	do[keys.Copy] = (*app).copyMessage
	do[keys.Thinking] = func(_ *app, it *playroom.Item) tea.Cmd { it.Unfolded = !it.Unfolded; return nil }
}

func (a *app) quit() tea.Cmd { return tea.Quit }

// interrupt stops the reply that is being written; with none it quits. Nothing
// is lost by quitting: drafts are kept and running work goes on at the next
// start.
func (a *app) interrupt() tea.Cmd {
	if a.turn.running {
		return a.stop()
	}
	if time.Since(a.ended) < graceTime {
		a.ended = time.Time{}
		return a.Say(event.Info, "the reply has ended; "+a.keys.Key(keys.Interrupt, keys.Write)+" again quits")
	}
	return a.quit()
}

// graceTime is how long after a reply the key that stops it does not quit.
const graceTime = 2 * time.Second

func (a *app) stop() tea.Cmd {
	id := a.view.Chat.ID
	return a.Do(func() func() tea.Cmd {
		if a.eng.Play.Stop(id) {
			return nil
		}
		return func() tea.Cmd { return a.Say(event.Info, "nothing is being written") }
	})
}

func (a *app) toBrowse() tea.Cmd {
	if a.aloud() {
		return nil
	}
	from := a.mode
	if from == keys.Pane && a.lay.over {
		a.pane, a.paneFor = nil, "" // it hides the messages
	}
	a.mode = keys.Browse
	if a.play.Follow && from == keys.Write {
		a.play.Selected = len(a.play.Items) - 1
	}
	return nil
}

func (a *app) sendMessage() tea.Cmd {
	text := a.composer.in.Value()
	if look.Blank(text) {
		if a.unanswered() {
			return a.askReply(a.play.Items[len(a.play.Items)-1])
		}
		return nil
	}
	if cmd, ok := a.maySend(); !ok {
		return cmd
	}
	return a.answering(func(who storage.CharacterID) tea.Cmd {
		a.composer.clear(text)
		return a.sendText(text, who)
	})
}

func (a *app) continueReply() tea.Cmd {
	id := a.view.Chat.ID
	return desk.Try(a, func() error { return a.eng.Play.Continue(id) })
}

func (a *app) impersonate() tea.Cmd {
	id := a.view.Chat.ID
	a.mode = keys.Write
	return desk.Try(a, func() error { return a.eng.Play.Impersonate(id) })
}

func (a *app) regenerate(it *playroom.Item) tea.Cmd {
	chat, node := a.view.Chat.ID, it.Msg.ID
	a.play.Bottom()
	return desk.Try(a, func() error { return a.eng.Play.Regenerate(chat, node) })
}

func (a *app) swipe(it *playroom.Item, step int) tea.Cmd {
	chat, node := a.view.Chat.ID, it.Msg.ID
	return a.Do(func() func() tea.Cmd {
		moved, err := a.eng.Play.Swipe(chat, node, step)
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			if !moved {
				return a.Say(event.Info, "there is no other version of this message")
			}
			return nil
		}
	})
}

func (a *app) editMessage(it *playroom.Item) tea.Cmd {
	if it.Msg.Role == storage.SceneCapture {
		return a.Run(keys.Open)
	}
	chat, node := a.view.Chat.ID, it.Msg.ID
	f := &widget.Form{Title: "Edit what " + speaker(it.Msg) + " said", Fields: []*widget.Field{widget.TextField(a.lk, "", it.Msg.Content, 20)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		if !f.Changed() {
			return nil, nil
		}
		text := f.Fields[0].Value()
		return desk.Try(a, func() error { return a.eng.Chats.Edit(chat, node, text) }), nil
	}
	desk.EditorKey(a, f, f.Fields[0].Input)
	a.dialogs.Open(f.Start())
	return nil
}

func (a *app) deleteMessage(it *playroom.Item) tea.Cmd {
	chat, node := a.view.Chat.ID, it.Msg.ID
	drop := func(below bool) func() tea.Cmd {
		return func() tea.Cmd { return desk.Try(a, func() error { return a.eng.Chats.Delete(chat, node, below) }) }
	}
	text := look.Clip(safetext.Line(it.Msg.Content), 50)
	a.dialogs.Open(&widget.Confirm{Title: "Delete", Text: speaker(it.Msg) + ": " + text, Choices: []widget.Choice{
		{Key: "d", Words: "delete this message (u undoes it)", Do: drop(false)},
		{Key: "a", Words: "delete it and all after it", Do: drop(true)},
	}})
	return nil
}

func (a *app) branch(it *playroom.Item) tea.Cmd {
	chat, node := a.view.Chat.ID, it.Msg.ID
	a.mode = keys.Write
	return tea.Batch(desk.Try(a, func() error { return a.eng.Chats.Branch(chat, node) }),
		a.Say(event.Info, "a new branch begins here; the old one is kept, ← → on a message lead back"))
}

func (a *app) copyMessage(it *playroom.Item) tea.Cmd {
	return tea.Batch(a.Copy(it.Msg.Content), a.Say(event.Info, "copied"))
}

func (a *app) toFirst() tea.Cmd {
	if !a.play.More {
		a.play.Choose(0)
		return nil
	}
	first := a.play.First()
	return a.loadOlder(1<<30, func() tea.Cmd {
		if a.play.More && a.play.First() != first {
			return a.toFirst() // others were being read just then
		}
		a.play.Choose(0)
		return nil
	})
}

func speaker(m chats.Message) string { return desk.Speaker(m) }
