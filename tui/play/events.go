package play

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Event implements pane.Listener.
func (r *Part) Event(ev event.Event) tea.Cmd {
	if r.reading.chat != "" {
		r.reading.missed = r.reading.missed || changesPath(ev)
	}
	switch ev := ev.(type) {
	case play.ReplyDelta:
		if ev.Chat == r.view.Chat.ID {
			r.list.Grow(ev)
		}
	case play.ReplyCut:
		if ev.Chat == r.view.Chat.ID {
			r.list.Shorten(ev)
		}
	case chats.MessageAdded:
		if ev.Chat == r.view.Chat.ID {
			r.list.Append(ev.Message)
			return reloadIfWindowed(r)
		}
	case play.ReplyStarted:
		return r.replyStarted(ev)
	case play.TurnWaiting:
		if ev.Chat == r.view.Chat.ID {
			r.waits = ev
		}
	case play.ReplyEnded:
		cmd := tea.Batch(r.replyEnded(ev), r.refreshCast(ev.Chat))
		if ev.Chat == r.view.Chat.ID {
			cmd = tea.Batch(cmd, reloadIfWindowed(r))
		}
		return cmd
	case play.LineSuggested:
		return r.composer.appendSuggested(ev)
	case play.PassageWritten:
		return r.mending.update(ev)
	case director.Changed:
		return r.refreshCast(ev.Chat)
	case chats.ChatChanged:
		if ev.Chat == r.view.Chat.ID {
			return r.Reload()
		}
	case chats.CharactersChanged:
		return r.Reload()
	case chats.RegexChanged:
		return tea.Batch(r.Reload(), r.host.Panes().Refresh())
	case pictures.CaptureChanged:
		return r.captureChanged(ev.Capture)
	case scenes.Changed:
		if ev.Chat == r.view.Chat.ID {
			return tea.Batch(r.ReadScenes(), r.host.Panes().Refresh())
		}
	case play.CacheMissed:
		return r.showCacheMiss(ev)
	case play.Warming:
		r.warming(ev)
	}
	return nil
}

// reloadIfWindowed reads the chat again if regex scripts change a message depending on how many
// follow it.
func reloadIfWindowed(r *Part) tea.Cmd {
	if r.view.Windowed == 0 || r.reading.chat != "" {
		return nil
	}
	return r.Reload()
}

// refreshCast reads the cast again if the next speaker may have changed; a changed cast comes with
// the chat itself.
func (r *Part) refreshCast(chat storage.ChatID) tea.Cmd {
	if chat == "" || chat != r.view.Chat.ID {
		return nil
	}
	return r.readCast()
}

// captureChanged updates a picture in the play.
func (r *Part) captureChanged(c storage.Capture) tea.Cmd {
	for _, it := range r.list.Items {
		if it.Msg.Picture != nil && it.Msg.Picture.ID == c.ID {
			it.Msg.Picture = &c
			it.Touch()
		}
	}
	return r.host.Panes().Refresh()
}
