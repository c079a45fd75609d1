package lore_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
)

// Rows show names in place of an entry's macros; the entry keeps them.
func TestEntries_Names(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		chat := tuitest.NewChat(t, e)
		b, err := e.Lore.AddBook(storage.Lorebook{Name: "The harbour", Kind: storage.GlobalBook})
		if err == nil {
			_, err = e.Lore.SaveEntry(b.ID, chat, lore.EntryOf("{{char}} and the sea", "rule", "{{user}} owes {{char}} a light.", "{{char}}'s light"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}})
	s.See("‹1/3›").Press("alt+l").See("The harbour").Press("j").See("Tove and the sea", "Robin owes Tove").NotSee("{{")
	if got := s.entries("The harbour")[0]; got.Name != "{{char}} and the sea" || got.Content != "{{user}} owes {{char}} a light." {
		t.Errorf("stored: %+v", got)
	}
}
