package play

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// turn is the state of the reply that is being written in the open chat.
type turn struct {
	node    storage.NodeID
	again   bool // there is another reply as its sibling
	since   time.Time
	running bool
	after   string // background work that the server may still be processing, "" for none
}

func liveNode(t turn) storage.NodeID {
	if t.running {
		return t.node
	}
	return ""
}

// maySend reports whether a line can be sent now, and returns what to do if not.
func (r *Part) maySend() (tea.Cmd, bool) {
	switch {
	case r.Replying():
		return r.host.Say(event.Info, "the reply is still being written: "+
			r.host.Keys().Key(keys.Interrupt, keys.Write)+" stops it"), false
	case r.view.Chat.ID == "":
		return r.host.Run(keys.Characters), false
	case r.view.Model == "":
		return r.host.Run(keys.Models), false
	}
	return nil, true
}

// sendMessage sends the composer's text. If there is none, it requests a reply to an unanswered
// message.
func (r *Part) sendMessage() tea.Cmd {
	text := r.composer.in.Value()
	if draw.Blank(text) {
		if r.unanswered() {
			return r.requestReply(r.list.Items[len(r.list.Items)-1].Msg)
		}
		return nil
	}
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	send := func(who storage.CharacterID) tea.Cmd {
		r.composer.clear(text)
		return r.sendText(text, who)
	}
	if r.userPicksSpeaker() {
		return r.withResponder(send)
	}
	return send("")
}

// sendText sends a line of the user, only to those to whom it is whispered. who answers it; ""
// follows the turn order.
func (r *Part) sendText(text string, who storage.CharacterID) tea.Cmd {
	chat, quiet := r.view.Chat.ID, r.composer.whisper
	r.composer.whisper = whisper{}
	r.list.Bottom()
	r.view.Fork = false
	r.turn = turn{running: true, since: time.Now()}
	send := r.composer.drafts.sendOnce(chat, func() error {
		_, err := r.host.Engine().Play.SendLine(chat, play.Line{Text: text, Responder: who, WhisperTo: quiet.to})
		return err
	})
	r.unsent = send
	return tea.Batch(r.host.Work().Tick(), r.host.Do(func() func() tea.Cmd {
		err := send()
		return func() tea.Cmd {
			r.unsent = nil
			if err == nil {
				return r.composer.save()
			}
			r.turn.running = false
			r.composer.restore(text)
			if r.view.Chat.ID == chat && !r.composer.whisper.on() {
				r.composer.whisper = quiet
			}
			return r.host.Fail(err)
		}
	}))
}

// unanswered reports whether the user had the last word.
func (r *Part) unanswered() bool {
	n := len(r.list.Items)
	return n > 0 && r.list.Items[n-1].Msg.Role == storage.User && !r.turn.running
}

// requestReply requests a reply to the user's last message. If the turn order leaves the choice of
// the speaker to the user, it asks.
func (r *Part) requestReply(m chats.Message) tea.Cmd {
	return r.withResponder(func(who storage.CharacterID) tea.Cmd {
		if who == "" {
			return r.regenerate(m)
		}
		return r.speak(who)
	})
}

func (r *Part) speak(who storage.CharacterID) tea.Cmd {
	chat := r.view.Chat.ID
	r.list.Bottom()
	return pane.Try(r.host, func() error { return r.host.Engine().Play.Speak(chat, who) })
}

func (r *Part) continueReply() tea.Cmd {
	id := r.view.Chat.ID
	return pane.Try(r.host, func() error { return r.host.Engine().Play.Continue(id) })
}

func (r *Part) regenerate(m chats.Message) tea.Cmd {
	chat := r.view.Chat.ID
	r.list.Bottom()
	return pane.Try(r.host, func() error { return r.host.Engine().Play.Regenerate(chat, m.ID) })
}

func (r *Part) swipe(m chats.Message, step int) tea.Cmd {
	chat := r.view.Chat.ID
	return r.host.Do(func() func() tea.Cmd {
		moved, err := r.host.Engine().Play.Swipe(chat, m.ID, step)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			if !moved {
				return r.host.Say(event.Info, r.refuseSwipe(m, step))
			}
			return nil
		}
	})
}

// refuseSwipe returns the reason why there is no swipe step positions from the current one.
func (r *Part) refuseSwipe(m chats.Message, step int) string {
	end, other := "last", keys.SwipeLeft
	switch {
	case m.Siblings < 2:
		return "this message has only one swipe"
	case step < 0:
		end, other = "first", keys.SwipeRight
	}
	k := r.host.Keys().Key(other, keys.Browse)
	return fmt.Sprintf("this is the %s of %d swipes: %s shows the others", end, m.Siblings, k)
}

// interrupt stops the reply, or the user's line, that is being written. If there is none it clears
// the composer, and quits if the composer is empty. Nothing is lost: a key restores the cleared
// text, drafts are kept, and running work continues at the next start.
func (r *Part) interrupt() tea.Cmd {
	key := r.host.Keys().Key(keys.Interrupt, keys.Write)
	if r.composer.hasSuggestion() {
		return r.composer.stopLine()
	}
	if g := r.composer.ghost; g != nil && time.Since(r.ended) < graceTime && r.composer.in.Value() == g.line {
		r.ended = time.Time{}
		return r.host.Say(event.Info, "stopped; "+key+" again clears it")
	}
	if r.turn.running || r.view.Chat.ID != "" && r.host.Engine().Play.Running(r.view.Chat.ID) {
		return r.stop()
	}
	if r.composer.empty() {
		r.ended = time.Time{}
		back := r.host.Keys().Key(keys.OlderSent, keys.Write)
		return r.host.Say(event.Info, "cleared; "+back+" restores it, "+key+" again quits")
	}
	if time.Since(r.ended) < graceTime {
		r.ended = time.Time{}
		return r.host.Say(event.Info, "reply stopped; "+key+" again quits")
	}
	return r.host.Run(keys.Quit)
}

// graceTime is the time after a reply during which the stop key does not quit.
const graceTime = 2 * time.Second

func (r *Part) stop() tea.Cmd {
	id := r.view.Chat.ID
	return r.host.Do(func() func() tea.Cmd {
		if r.host.Engine().Play.Stop(id) {
			return nil
		}
		return func() tea.Cmd { return r.host.Say(event.Info, "nothing is being written") }
	})
}

func (r *Part) replyStarted(ev play.ReplyStarted) tea.Cmd {
	if ev.Chat != r.view.Chat.ID {
		return nil
	}
	r.view.Fork = false
	r.turn = turn{node: ev.Message.ID, again: ev.Message.Siblings > 1, running: true, since: time.Now(),
		after: workBefore(r)}
	r.list.Unanswered(ev.Message.Parent, "")
	if i := r.list.Find(ev.Message.ID); i < 0 && ev.Message.Siblings > 1 {
		r.list.DropAfter(ev.Message.Parent)
	}
	r.list.Append(ev.Message)
	return r.host.Work().Tick()
}

func (r *Part) replyEnded(ev play.ReplyEnded) tea.Cmd {
	if ev.Chat != r.view.Chat.ID {
		return nil
	}
	r.waits = play.TurnWaiting{}
	again := r.turn.again
	r.turn, r.ended = turn{}, time.Now()
	if ev.Err != nil {
		if !again && r.list.Unanswered(ev.Turn.UserMessage, failure.Text(ev.Err)) && r.list.Follow {
			r.host.Log().Warn("no reply", "err", ev.Err)
			return r.Reload() // puts the words where the user looks
		}
		return tea.Batch(r.Reload(), r.host.Fail(ev.Err))
	}
	if r.view.Chat.Steer.Equal(ev.Message.Steer) {
		r.view.Chat.Steer = storage.Steer{} // the reply has used it
	}
	r.list.Append(ev.Message)
	return tea.Batch(r.ReadScenes(), r.host.Panes().Refresh())
}
