package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func Names(events []event.Event) string {
	var out []string
	for _, ev := range events {
		out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", ev), "engine."))
	}
	return strings.Join(slices.Compact(out), " ")
}

func Greetings(s *Harness) (n int) {
	for _, m := range s.Nodes() {
		if m.Parent == "" {
			n++
		}
	}
	return n
}

// Talking sends a line to a model that never ends, and returns when some of the
// reply has come.
func Talking(s *Harness) (user, reply storage.NodeID) {
	s.T.Helper()
	user, err := s.Play.Send(s.Chat, "Tell me everything.")
	Must(s.T, err)
	return user, Until[play.ReplyDelta](s, nil).Node
}

// Once sends a message to a model with the reply checks of v, deletes the turn again, and returns
// the reply and the time that it took.
func Once(s *Harness, v config.Voice) (storage.Node, time.Duration) {
	s.T.Helper()
	s.Cfg.Voice = v
	s.Reopen()
	began := time.Now()
	turn := s.Say("And then?")
	took := time.Since(began)
	n := s.Node(turn.Message)
	Must(s.T, s.Chats.Delete(s.Chat, turn.UserMessage, true))
	return n, took
}

func Slow(o *Setup) { o.Servers.TokenDelay = time.Millisecond }

// WaitStored waits until the stored reply has at least a number of bytes.
func (s *Harness) WaitStored(id storage.NodeID, least int) (n storage.Node) {
	s.T.Helper()
	Until(s, func(play.ReplyDelta) bool {
		err := s.Core().Store.View(func(tx *storage.Tx) (err error) { n, err = tx.Node(s.Chat, id); return err })
		return err == nil && len(n.Content) >= least
	})
	return n
}
