package tui

import (
	"fmt"
	"testing"

	"ghostlight/engine"
	"ghostlight/storage"
)

// loreOf makes an entry of a book.
func loreOf(name, typ, content string, keys ...string) storage.LoreEntry {
	e := storage.NewLoreEntry()
	e.Name, e.Type, e.Content, e.Keys = name, typ, content, keys
	return e
}

// withLore opens a chat with two books: a global one of the harbour, and one of
// the chat.
func withLore(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		chat := newToveChat(t, e)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		world, err := e.AddLorebook(storage.Lorebook{Name: "The harbour", Kind: storage.GlobalBook, Description: "Quays, boats, and those who live by them."})
		must(err)
		own, err := e.AddLorebook(storage.Lorebook{Name: "What happened", Kind: storage.ChatBook, Chat: chat})
		must(err)
		inn := loreOf("The Blue Gull", "location", "[location-The Blue Gull: inn at the quay, kept by(Marta), smells of(tar, fried fish), closed in winter]", "blue gull", "inn")
		inn.Aliases, inn.Synopsis, inn.Order = []string{"the inn"}, "The inn at the quay, kept by Marta.", 120
		marta := loreOf("Marta", "character", "[character-Marta: innkeeper of The Blue Gull, wears(red scarf), distrusts(harbour master)]", "marta", "innkeeper")
		rule := loreOf("Tide law", "rule", "Whoever is at sea at high tide owes the harbour a light.", "tide")
		rule.Constant, rule.Locked = true, true
		ferry := loreOf("The old ferry", "item", "A ferry that has not left its berth in ten years.", "ferry", "/berth \\d+/i")
		ferry.Disabled, ferry.Probability, ferry.Sticky = true, 40, 3
		ferry.SecondaryKeys, ferry.Logic = []string{"night"}, storage.NotAny
		for _, x := range []storage.LoreEntry{inn, marta, rule, ferry} {
			_, err := e.SaveLoreEntry(world.ID, chat, x)
			must(err)
		}
		for i := range 3 {
			_, err := e.SaveLoreEntry(own.ID, chat, loreOf(fmt.Sprintf("Rumour %d", i+1), "quest", fmt.Sprintf("Somebody saw light number %d out at sea.", i+1), fmt.Sprintf("light %d", i+1)))
			must(err)
		}
	}
}

// books is what the store has of a book's entries.
func (s *session) entries(book string) []engine.LoreRow {
	s.t.Helper()
	b, err := s.eng.FindLorebook(book)
	s.must(err)
	rows, err := s.eng.LoreEntries(b.ID, s.chat().Chat.ID)
	s.must(err)
	return rows
}

func (s *session) entry(book, name string) *engine.LoreRow {
	s.t.Helper()
	rows := s.entries(book)
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i]
		}
	}
	return nil
}

func TestGolden_Lore(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withLore(t)})
	s.see("‹1/3›").press("alt+l").see("The harbour", "Rumour 3").golden("lore-entries")
	s.press("/").typeText("gul").see("The Blue Gull").notSee("Rumour").press("enter").press("j").silent().goldenAfter("lore-filter", []string{"g"})
	s.press("g", "enter").see("what is special").silent().golden("lore-reader")
}
