package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/pictures"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/widget"
)

// eventMsg brings an event of the engine to the screen.
type eventMsg struct{ event event.Event }

// event updates what the screen holds of what has happened.
func (a *app) event(ev event.Event) tea.Cmd {
	return tea.Batch(a.follow(ev), a.castEvent(ev), a.tell(ev))
}

func (a *app) follow(ev event.Event) tea.Cmd {
	if a.reading.chat != "" {
		a.reading.missed = a.reading.missed || changesPath(ev)
	}
	switch ev := ev.(type) {
	case play.ReplyDelta:
		if ev.Chat == a.view.Chat.ID {
			a.play.Grow(ev)
		}
	case chats.MessageAdded:
		if ev.Chat == a.view.Chat.ID {
			a.play.Append(ev.Message)
		}
	case play.ReplyStarted:
		return a.replyStarted(ev)
	case play.ReplyEnded:
		return a.replyEnded(ev)
	case play.LineSuggested:
		return a.suggested(ev)
	case chats.ChatChanged:
		if ev.Chat == a.view.Chat.ID {
			return a.reload()
		}
	case house.OperationChanged:
		return a.operationChanged(ev.Operation)
	case house.OperationProgress:
		return a.operationProgress(ev)
	case pictures.CaptureChanged:
		return a.captureChanged(ev.Capture)
	case scenes.Changed:
		if ev.Chat == a.view.Chat.ID {
			return tea.Batch(a.readScenes(), a.Refresh())
		}
	case house.ServerChanged:
		a.setServers(ev.Servers)
	case event.Notice:
		return a.Say(ev.Level, ev.Text)
	case chats.CharactersChanged:
		return a.reload()
	}
	return nil
}

func (a *app) replyStarted(ev play.ReplyStarted) tea.Cmd {
	if ev.Chat != a.view.Chat.ID {
		return nil
	}
	a.turn = turn{node: ev.Message.ID, again: ev.Message.Siblings > 1, running: true, since: time.Now()}
	a.play.Unanswered(ev.Message.Parent, "")
	if i := a.play.Find(ev.Message.ID); i < 0 && ev.Message.Siblings > 1 {
		a.play.DropAfter(ev.Message.Parent)
	}
	a.play.Append(ev.Message)
	return a.Tick()
}

func (a *app) replyEnded(ev play.ReplyEnded) tea.Cmd {
	if ev.Chat != a.view.Chat.ID {
		return nil
	}
	again := a.turn.again
	a.turn, a.ended = turn{}, time.Now()
	if ev.Err != nil {
		if !again && a.play.Unanswered(ev.Turn.UserMessage, failure.Words(ev.Err)) && a.play.Follow {
			a.opts.Log.Warn("no reply", "err", ev.Err)
			return a.reload() // the words stand where the user looks
		}
		return tea.Batch(a.reload(), a.Fail(ev.Err))
	}
	a.play.Append(ev.Message)
	return tea.Batch(a.readScenes(), a.Refresh())
}

// suggested grows the user's own next line in the composer.
func (a *app) suggested(ev play.LineSuggested) tea.Cmd {
	if ev.Chat != a.view.Chat.ID {
		return nil
	}
	if ev.Err != nil {
		return a.Fail(ev.Err)
	}
	a.composer.in.Insert(ev.Text)
	return a.composer.edited(a)
}

func (a *app) operationChanged(op storage.Operation) tea.Cmd {
	a.work.took(op)
	cmd := tea.Batch(a.Refresh(), a.Tick())
	if op.Status == storage.Failed {
		return tea.Batch(cmd, a.Say(event.Error, desk.OperationWords(op.Type)+" failed: "+op.Error))
	}
	return cmd
}

func (a *app) operationProgress(ev house.OperationProgress) tea.Cmd {
	j := a.work.running[ev.ID]
	if j != nil {
		j.Progress = ev.Progress
	}
	return nil
}

// captureChanged takes over what is new of a picture in the play.
func (a *app) captureChanged(c storage.Capture) tea.Cmd {
	for _, it := range a.play.Items {
		if it.Msg.Picture != nil && it.Msg.Picture.ID == c.ID {
			it.Msg.Picture = &c
			it.Touch()
		}
	}
	return a.Refresh()
}

// setServers takes over how the servers answered.
func (a *app) setServers(s house.Servers) {
	a.servers = s
	if a.view.Model == "" {
		a.view.Model = s.Ollama.Model
	}
	for _, d := range a.dialogs.All {
		if p, ok := d.(*widget.Picker); ok && p.Renew != nil {
			p.Again()
		}
	}
}

// reload reads the open chat again, or the one that is about to take its place.
func (a *app) reload() tea.Cmd {
	id := a.view.Chat.ID
	if a.reading.chat != "" {
		id = a.reading.chat
	}
	if id == "" {
		return nil
	}
	return a.readChat(id, max(firstRead, len(a.play.Items)+8))
}

// chatReading is how a chat is being read to be shown.
type chatReading struct {
	widget.Latest
	chat   storage.ChatID // that is being read, "" for none
	missed bool           // something happened to it meanwhile
}

// over drops what is being read.
func (r *chatReading) over() {
	r.Begin()
	r.chat, r.missed = "", false
}

// changesPath tells whether an event may have overtaken a chat that is being
// read: what was read is then read again.
func changesPath(ev event.Event) bool {
	switch ev.(type) {
	case chats.MessageAdded, play.ReplyStarted, play.ReplyEnded, chats.ChatChanged:
		return true
	}
	return false
}

// firstRead is how many messages are read when a chat is opened; older ones
// follow when the user goes there.
const firstRead = 200

func (a *app) readChat(id storage.ChatID, n int) tea.Cmd {
	newest := a.reading.Begin()
	a.reading.chat, a.reading.missed = id, false
	return a.Do(func() func() tea.Cmd {
		v, err := a.eng.Play.View(id, n)
		var sent []string
		if err == nil {
			sent, err = a.eng.Chats.SentHistory(id)
		}
		return func() tea.Cmd {
			switch {
			case !newest():
				return nil
			case a.reading.missed:
				return a.readChat(id, n)
			case err == nil:
				return a.openView(v, sent)
			}
			a.reading.over()
			if id != a.view.Chat.ID {
				return tea.Batch(a.Fail(err), a.reload()) // what happened meanwhile was not read
			}
			return a.Fail(err)
		}
	})
}

// SwitchTo opens another chat, "" none, after the draft of this one is saved.
func (a *app) SwitchTo(id storage.ChatID) tea.Cmd {
	if id == "" {
		return a.openView(chats.View{}, nil)
	}
	return tea.Batch(a.composer.save(a), a.readChat(id, firstRead), a.goings.Do(a, func() func() tea.Cmd {
		err := a.eng.Chats.Opened(id)
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			return nil
		}
	}))
}
