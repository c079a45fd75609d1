package enginetest

import (
	"encoding/json"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Joined brings another character into the harness's chat.
func (s *Harness) Joined(name string) storage.CharacterID {
	s.T.Helper()
	c, err := s.Library.SaveCharacter(
		storage.Character{Card: storage.Card{Name: name, Description: name + "-description"}, Immersion: storage.Full})
	Must(s.T, err)
	Must(s.T, s.Chats.JoinCast(s.Chat, c.ID))
	return c.ID
}

// Sent returns all that the newest request for a reply held.
func (s *Harness) Sent() string {
	s.T.Helper()
	text := ""
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && len(c.Format) == 0 {
			data, err := json.Marshal(c.Messages)
			Must(s.T, err)
			text = string(data)
		}
	}
	return text
}

func (s *Harness) SayTo(text string, who storage.CharacterID, to ...storage.CharacterID) play.TurnResult {
	s.T.Helper()
	_, err := s.Play.SendLine(s.Chat, play.Line{Text: text, Responder: who, WhisperTo: to})
	Must(s.T, err)
	turn, err := s.Ended()
	Must(s.T, err)
	return turn
}
