package play

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Open reads a chat and shows it, "" the one that was open last, so that the first
// frame is the play itself. It is for a program that does not run yet.
func (r *Part) Open(id storage.ChatID) error {
	eng := r.host.Engine()
	if id == "" {
		last, ok, err := eng.Chats.Last()
		if err != nil || !ok {
			return err
		}
		id = last
	}
	v, sent, err := r.read(id, firstRead)
	if err != nil {
		return err
	}
	r.openView(v, chats.MessageRange{}, sent) // Start reads what it wants to read
	r.reads = sceneReading{}
	return nil
}

func (r *Part) read(id storage.ChatID, n int) (v chats.View, sent []string, err error) {
	if v, err = r.host.Engine().Play.View(id, n); err == nil {
		sent, err = r.host.Engine().Chats.SentHistory(id)
	}
	return v, sent, err
}

// SwitchTo implements pane.Play: it opens another chat, "" none, after the draft of
// this one is saved.
func (r *Part) SwitchTo(id storage.ChatID) tea.Cmd {
	if id == "" {
		return r.openView(chats.View{}, chats.MessageRange{}, nil)
	}
	return tea.Batch(r.composer.save(), r.readChat(id, firstRead, "", 0), r.opened(id))
}

// opened tells the engine which chat is looked at.
func (r *Part) opened(id storage.ChatID) tea.Cmd {
	if id == "" {
		return nil
	}
	return r.goings.Do(r.host, func() func() tea.Cmd {
		err := r.host.Engine().Chats.Opened(id)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return nil
		}
	})
}

// Reload implements pane.Play: it reads the open chat again, or the one that is about
// to take its place.
func (r *Part) Reload() tea.Cmd {
	id := r.view.Chat.ID
	if r.reading.chat != "" {
		id = r.reading.chat
	}
	if id == "" {
		return nil
	}
	if id != r.view.Chat.ID {
		return r.readChat(id, firstRead, "", 0)
	}
	p := r.list
	far, n := p.inView()
	return r.readChat(id, max(firstRead, len(p.Items)-p.gap+8), far, n)
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

// changesPath reports whether an event may have overtaken a chat that is being
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

// readChat reads the newest n messages of a chat and shows them, and m on each side of
// another one, unless that is "".
func (r *Part) readChat(id storage.ChatID, n int, around storage.NodeID, m int) tea.Cmd {
	newest := r.reading.Begin()
	r.reading.chat, r.reading.missed = id, false
	return r.host.Do(func() func() tea.Cmd {
		v, sent, err := r.read(id, n)
		var far chats.MessageRange
		if around != "" && err == nil {
			far, err = r.host.Engine().Chats.Around(id, around, m)
		}
		return func() tea.Cmd {
			switch {
			case !newest():
				return nil
			case r.reading.missed:
				return r.readChat(id, n, around, m)
			case err == nil:
				return r.openView(v, far, sent)
			}
			r.reading.over()
			if id != r.view.Chat.ID {
				return tea.Batch(r.host.Fail(err), r.Reload()) // what happened meanwhile was not read
			}
			return r.host.Fail(err)
		}
	})
}

// openView shows a chat that was read; far is what is in view further up.
func (r *Part) openView(v chats.View, far chats.MessageRange, sent []string) tea.Cmd {
	r.reading.over() // it is older than this
	other := v.Chat.ID != r.view.Chat.ID
	written := ""
	if r.view.Chat.ID == "" {
		written = r.composer.in.Value() // before there was a chat to keep it in
	}
	var save tea.Cmd
	if other {
		save = r.composer.save() // typed while the chat was read
	}
	v.Draft = r.composer.drafts.draftOf(v.Chat.ID, v.Draft)
	msgs := v.Messages
	v.Messages = nil
	r.view = v
	if other {
		r.list = r.list.Empty()
		r.composer.load(v.Draft, sent)
		r.composer.whisper = whisper{}
		if v.Draft == "" && !draw.Blank(written) {
			r.composer.in.Set(written)
			save = tea.Batch(save, r.composer.edited())
		}
		r.turn = turn{}
		r.screen.SetMode(keys.Write)
		r.scenes = noScenes(v.Chat.ID)
	}
	if v.Running != "" && !r.turn.running {
		r.turn = turn{node: v.Running, running: true, since: time.Now()}
	} else if v.Running == "" && r.turn.node != "" {
		r.turn = turn{}
	}
	r.list.Show(far, msgs, v.More, liveNode(r.turn))
	return tea.Batch(save, r.ReadScenes(), r.host.Panes().Refresh(), r.readCast(), r.screen.ChatOpened(),
		r.search.opened(r))
}

// Show takes a chat for the open one, and shows its messages where it comes with any.
func (r *Part) Show(v chats.View) {
	if v.Messages != nil {
		r.list.Show(chats.MessageRange{}, v.Messages, v.More, "")
		v.Messages = nil
	}
	r.view = v
}

// noScenes returns what is known of a chat before its scenes were read.
func noScenes(chat storage.ChatID) scenes.Scenes {
	return scenes.Scenes{Chat: chat, CoversDepth: -1}
}
