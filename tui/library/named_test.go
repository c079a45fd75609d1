package library_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// Lists show cards and chats with names, not with macros.
func TestLists_NoMacros(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		c, err := e.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Orla", Description: "{{char}} flies for {{user}}."}, Immersion: storage.Full})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Library.SavePersona(storage.Persona{Name: "Robin", Description: "{{user}} knows {{char}}.", Default: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Chats.New(c.ID, "In the air"); err != nil {
			t.Fatal(err)
		}
	}, Servers: demo.Options{Script: tuitest.Always("{{char}} waves at {{user}}.")}})
	s.See("In the air").Say("Hello.").Press("ctrl+t").See("Orla flies for Robin.").Press("esc")
	s.Press("f8").See("Robin knows Orla.").Press("esc")
	s.Press("ctrl+o").See("Chats", "Orla waves at Robin.")
}
