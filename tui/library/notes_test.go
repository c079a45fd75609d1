package library_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestCharacters_AuthorsNotes(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		_, err := e.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Ines Falk",
			CreatorNotes: "# How to play her\n\nBest with a **warm** sampler.\n\n- slow\n- quiet\x1b]0;pwned\a, " +
				"and so for longer than one line of a narrow screen\n\n" +
				"| setting | why |\n|---|---|\n| `temperature` | she is lively |\n\n> A <quote>\n> of hers.\n\n```\n{{char}}\n```\n"}})
		if err != nil {
			t.Fatal(err)
		}
		tuitest.NewChat(t, e)
	}})
	s.See("‹1/3›").Press("ctrl+t").See("Ines Falk").TypeText("ines").NotSee("Mira")
	s.Press("ctrl+b").See("Notes and assets").Press("enter").
		See("Creator's notes: Ines Falk", "How to play her", "Best with a warm sampler.", "• slow", "{{char}}").NotSee("**", "```").
		Golden("creators-notes").GoldenStyled("creators-notes")
	s.Press("esc").See("Notes and assets").Press("esc").See("Characters")
}
