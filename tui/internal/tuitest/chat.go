package tuitest

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	bundled "github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Chat returns the open chat with its newest messages, from the store.
func (s *Session) Chat() chats.View {
	s.t.Helper()
	id, ok, err := s.Engine.Chats.Last()
	if err != nil || !ok {
		s.t.Fatalf("no chat: %v", err)
	}
	v, err := s.Engine.Play.View(id, 0)
	s.Must(err)
	return v
}

// Texts returns the texts of the open chat's messages, oldest first.
func (s *Session) Texts() []string {
	s.t.Helper()
	var out []string
	for _, m := range s.Chat().Messages {
		out = append(out, m.Content)
	}
	return out
}

// Scenes returns the scenes of the open chat, from the store.
func (s *Session) Scenes() []scenes.Scene {
	s.t.Helper()
	v, err := s.Engine.Scenes.List(s.Chat().Chat.ID)
	s.Must(err)
	return v.List
}

// WithChat returns a function for prepare that makes a chat with the bundled character.
func WithChat(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) { NewChat(t, e) }
}

// NewChat makes a chat with the bundled character and opens it.
func NewChat(t testing.TB, e *engine.Engine) storage.ChatID {
	t.Helper()
	tove, err := e.Library.FindCharacter(bundled.Character().Card.Name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Chats.New(tove.ID, "")
	if err == nil {
		err = e.Chats.Opened(c.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// Say sends a line and waits for the whole reply.
func (s *Session) Say(text string) *Session {
	s.t.Helper()
	n := len(s.Texts())
	s.TypeText(text).Press("enter")
	s.Until("the reply to "+text, func() bool { return len(s.Texts()) >= n+2 })
	return s.Still()
}
