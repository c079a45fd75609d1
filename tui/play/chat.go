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

// Open reads a chat and shows it, so that the first frame is the play itself; "" is the last open
// chat. It is for a program that does not run yet.
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
	r.openView(v, chats.MessageRange{}, sent) // Start reads the rest
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

// opened reports the open chat to the engine.
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

// Reload implements pane.Play: it reads the open chat again, or the one that is being opened.
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

// chatReading is the state of reading a chat.
type chatReading struct {
	widget.Latest
	chat   storage.ChatID // the chat being read, "" for none
	missed bool           // something happened to it meanwhile
}

// over drops the current reading.
func (r *chatReading) over() {
	r.Begin()
	r.chat, r.missed = "", false
}

// changesPath reports whether an event may make a running reading of a chat outdated. It is then
// read again.
func changesPath(ev event.Event) bool {
	switch ev.(type) {
	case chats.MessageAdded, play.ReplyStarted, play.ReplyEnded, chats.ChatChanged:
		return true
	}
	return false
}

// firstRead is the number of messages that are read when a chat is opened. Older ones are read when
// the user goes there.
const firstRead = 200

// readChat reads the newest n messages of a chat and shows them. If around is not "", it also reads
// m messages on each side of that one.
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
				return tea.Batch(r.host.Fail(err), r.Reload()) // events meanwhile were not applied
			}
			return r.host.Fail(err)
		}
	})
}

// openView shows a chat that was read; far holds the messages in view further up.
func (r *Part) openView(v chats.View, far chats.MessageRange, sent []string) tea.Cmd {
	r.reading.over() // a running reading is older
	other := v.Chat.ID != r.view.Chat.ID
	written := ""
	if r.view.Chat.ID == "" {
		written = r.composer.in.Value() // from before there was a chat to store it for
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

// Show makes a chat the open one, and shows its messages if it has any.
func (r *Part) Show(v chats.View) {
	if v.Messages != nil {
		r.list.Show(chats.MessageRange{}, v.Messages, v.More, "")
		v.Messages = nil
	}
	r.view = v
}

// noScenes returns the scenes of a chat before they were read.
func noScenes(chat storage.ChatID) scenes.Scenes {
	return scenes.Scenes{Chat: chat, CoversDepth: -1}
}
