package library_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestGolden_Pickers(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		for _, c := range []storage.Character{
			{Card: storage.Card{Name: "Ines Falk", Description: "A cartographer of cities that were never built, with ink on both hands and an opinion on every river."}, Immersion: storage.Balanced},
			{Card: storage.Card{Name: "Orla", Tags: []string{"sea", "adventure"}}, Immersion: storage.Minimal},
		} {
			saved, err := e.Library.SaveCharacter(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Chats.New(saved.ID, "A talk with "+c.Card.Name+" about what cannot be said in one line of eighty columns"); err != nil {
				t.Fatal(err)
			}
		}
		tuitest.NewChat(t, e)
	}})
	small, usual := tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24}
	s.See("‹1/3›").Press("ctrl+o").See("Chats").Golden("chats")
	s.TypeText("orla").NotSee("Ines Falk").Golden("chats-filtered", usual)
	s.Press("ctrl+d").See("Delete chat").Golden("chats-delete", small, usual)
	s.Press("esc").Press("ctrl+t").See("Ines Falk").Golden("characters")
	s.Press("ctrl+e").See("Edit Ines Falk").Golden("character-edit")
	s.Press("pgdown").See("Example dialogue").Press("pgdown").See("Nickname").Press("pgdown").See("Stressor").Golden("character-actor")
	s.Press("pgdown").See("Trigger").Golden("character-pictures")
	s.Press("esc", "f8").See("Personas").Golden("personas", small, usual)
	s.Press("esc", "f7").See("Import").Golden("import", small, usual)
	s.Press("esc", "ctrl+p").See("Command").TypeText("export this chat").Press("enter").See("Export this chat").Press("tab", "ctrl+u").TypeText("~/lamp").Golden("export")
}
