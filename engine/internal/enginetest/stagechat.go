package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Plain goes on in a chat whose card asks for nothing at the end of the prompt.
func (s *Harness) Plain() {
	s.T.Helper()
	who,
		err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Ada",
		Description: "Keeps the light.", FirstMessage: "Good evening."}, Immersion: storage.Full})
	Must(s.T, err)
	c, err := s.Chats.New(who.ID, "")
	Must(s.T, err)
	s.Chat = c.ID
}

// TurnsSent returns the requests for replies, oldest first.
func (s *Harness) TurnsSent() (out []demo.Call) {
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && len(c.Format) == 0 {
			out = append(out, c)
		}
	}
	return out
}
