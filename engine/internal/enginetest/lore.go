package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Keyed returns an entry that triggers on keys.
func Keyed(name, content string, keys ...string) storage.LoreEntry {
	x := storage.NewLoreEntry()
	x.Name, x.Content, x.Keys = name, content, keys
	return x
}

// Book makes a lorebook with entries.
func (s *Harness) Book(b storage.Lorebook, entries ...storage.LoreEntry) (storage.LorebookID, []storage.EntryID) {
	s.T.Helper()
	b, err := s.Lore.AddBook(b)
	Must(s.T, err)
	var ids []storage.EntryID
	for _, x := range entries {
		x, err := s.Lore.SaveEntry(b.ID, s.Chat, x)
		Must(s.T, err)
		ids = append(ids, x.ID)
	}
	return b.ID, ids
}

const InnLore = "[location-Gull Inn: built on piles over the water, run by(Marla Tew), smells of tar]"
