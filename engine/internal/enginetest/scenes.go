package enginetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Tell puts messages at the end of the chat without asking anybody, user and
// character in turn, and returns their ids.
func (s *Harness) Tell(texts ...string) []storage.NodeID {
	s.T.Helper()
	var ids []storage.NodeID
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		for i, text := range texts {
			n := storage.Node{Chat: s.Chat, Parent: c.Head, Role: storage.User, Name: "Robin", Content: text,
				State: storage.Complete, CreatedAt: time.Now()}
			if i%2 == 1 {
				n.Role, n.Name = storage.Assistant, "Tove"
			}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			c.Head = n.ID
			ids = append(ids, n.ID)
		}
		return storage.Chats.Put(tx, s.Chat, c)
	}))
	s.Core().Emit(chats.ChatChanged{Chat: s.Chat})
	return ids
}

// Exchange adds n numbered exchanges about a subject.
func (s *Harness) Exchange(n int, subject string) []storage.NodeID {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("I ask about the %s, question number %d.", subject, i),
			fmt.Sprintf("*Tove turns the %s over.* \"It belonged to my brother, and that was winter %d.\"", subject, i))
	}
	return s.Tell(texts...)
}

// Work works the queue off.
func (s *Harness) Work() {
	s.T.Helper()
	if _, err := s.Queue.Drain(s.Context()); err != nil {
		ops, _ := s.Queue.List()
		for _, op := range ops {
			if op.Error != "" {
				s.T.Logf("%s %s: %s", op.Type, op.Status, op.Error)
			}
		}
		s.T.Fatal(err)
	}
}

func (s *Harness) RunningNow() scenes.RecapView {
	s.T.Helper()
	v, err := s.Scenes.RunningRecap(s.Chat)
	Must(s.T, err)
	return v
}

// EndWithoutRecap ends a scene without making a recap.
func (s *Harness) EndWithoutRecap(node storage.NodeID) {
	s.T.Helper()
	was := s.Core().Settings().Scenes.NoRecap
	s.Core().Reconfigure(func(c *config.Config) { c.Scenes.NoRecap = true })
	_, err := s.Scenes.SetBreak(s.Chat, node, true)
	Must(s.T, err)
	s.Core().Reconfigure(func(c *config.Config) { c.Scenes.NoRecap = was })
}

// End ends a scene and waits for its recap.
func (s *Harness) End(node storage.NodeID) {
	s.T.Helper()
	_, err := s.Scenes.SetBreak(s.Chat, node, true)
	Must(s.T, err)
	_, err = s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{})
	Must(s.T, err)
	s.Work()
}

// AskedFor counts the requests for text whose schema has a property.
func (s *Harness) AskedFor(property string) (n int) {
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && strings.Contains(string(c.Format), `"`+property+`"`) {
			n++
		}
	}
	return n
}
