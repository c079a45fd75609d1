package enginetest

import (
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Grow adds exchanges to the chat without any model, and puts the head there.
func (s *Harness) Grow(exchanges int) {
	s.T.Helper()
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		for i := range exchanges {
			for _, role := range []storage.Role{storage.User, storage.Assistant} {
				n := storage.Node{Chat: s.Chat, Parent: c.Head, Role: role, State: storage.Complete,
					Content: fmt.Sprintf(
						"%s line %d, *a gesture*, and \"so many words that it looks like a line of a play\".", role, i)}
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				c.Head = n.ID
			}
		}
		return storage.Chats.Put(tx, c.ID, c)
	}))
}

// Search finds messages, all that there are.
func (s *Harness) Search(ask chats.Search) []chats.Hit {
	s.T.Helper()
	found, err := s.Chats.Search(s.Context(), ask)
	Must(s.T, err)
	if !found.Whole {
		s.T.Errorf("the search for %q was given up", ask.Text)
	}
	return found.Hits
}
