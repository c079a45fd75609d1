package enginetest

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Numbered sets up answers that contain the number of earlier requests for the same.
func Numbered(o *Setup) {
	o.Servers.Script = func(m []storage.Node, take int) string {
		return fmt.Sprintf("reply %d to %s", take, lastUser(m))
	}
}

func lastUser(m []storage.Node) string {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Role == storage.User {
			return m[i].Content
		}
	}
	return "nothing"
}

// Story returns the path without its greeting, as "role text, 1/2; ..." with the position among
// siblings if there are any.
func (s *Harness) Story() string {
	s.T.Helper()
	var out []string
	for _, m := range s.View().Messages {
		line := m.Content
		if m.Role == storage.SceneCapture {
			line = "[picture]"
		}
		if m.Parent == "" {
			line = "greeting"
		}
		if m.Siblings > 1 {
			line += fmt.Sprintf(" (%d/%d)", m.At+1, m.Siblings)
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

func (s *Harness) Expect(want string) {
	s.T.Helper()
	if got := s.Story(); got != want {
		s.T.Fatalf("the story is\n\t%s\nwant\n\t%s", got, want)
	}
}

// Wait lets the turn that was begun come to its end.
func (s *Harness) Wait(err error) play.TurnResult {
	s.T.Helper()
	Must(s.T, err)
	turn, err := s.Ended()
	Must(s.T, err)
	return turn
}

// Single makes the greeting the only one, so that stories are short.
func (s *Harness) Single() *Harness {
	s.T.Helper()
	for _, n := range s.Nodes()[1:] {
		Must(s.T, s.Chats.Delete(s.Chat, n.ID, false))
	}
	s.ForgetChanges()
	s.Expect("greeting")
	return s
}

// ForgetChanges has the chat remember nothing that could be undone.
func (s *Harness) ForgetChanges() {
	s.T.Helper()
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		for id := range storage.Changes.All(tx, s.Chat) {
			if err := storage.Changes.Delete(tx, s.Chat, id); err != nil {
				return err
			}
		}
		return nil
	}))
}

// HangPicture puts a picture at the end of the chat, as a finished capture does.
func (s *Harness) HangPicture() {
	s.T.Helper()
	c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.Chat, Kind: "image",
		Status: storage.CaptureGenerating}
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		if err := storage.Captures.Put(tx, c.ID, c); err != nil {
			return err
		}
		return s.Pictures.AddToChat(c)(tx)
	}))
	s.Core().Emit(chats.ChatChanged{Chat: s.Chat})
}
