package lore

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Reword replaces the words of facts of an entry as a chat sees it; "" removes a fact, and an entry
// without facts. It returns the state that it made.
func (svc *Service) Reword(tx *storage.Tx, book storage.LorebookID, chat storage.ChatID, id storage.EntryID,
	words map[string]string) (made storage.RevisionID, err error) {
	_, err = svc.touchBook(tx, book, func(b *storage.Lorebook) error {
		old, err := entryAt(tx, book, id, loreTrail(tx, *b, chat))
		if err != nil {
			return err
		}
		next := old
		next.Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: chat}
		if next.Content = plist.Reword(old.Content, words); next.Content == old.Content {
			return failure.Refusef("“%s” has changed: open it again", old.Name)
		}
		if len(next.Content) > maxLore {
			return failure.Refusef("with this change, “%s” would be longer than %d bytes: split the entry first",
				old.Name, maxLore)
		}
		if next.Content == "" {
			next.Content, next.Removed = old.Content, true
		}
		reworded := slices.Clone(old.Facts)
		for i, f := range reworded {
			if now, ok := words[f.Text]; ok {
				reworded[i].Text = now
			}
		}
		next.Facts = factsLeft(reworded, next.Content)
		fill.InheritKnowers(&old, &next)
		next, err = svc.putAfter(tx, book, old, next)
		made = next.Revision
		return err
	})
	return made, err
}

// UndoReword undoes Reword; it returns false if the entry was changed since.
func (svc *Service) UndoReword(tx *storage.Tx, book storage.LorebookID, id storage.EntryID,
	made storage.RevisionID) (bool, error) {
	x, err := storage.LoreEntries.Get(tx, book, id)
	if err != nil || x.Revision != made {
		return false, nil //nolint:nilerr // an unreadable entry is left unchanged
	}
	if _, err := svc.revertEntry(tx, book, x); err != nil {
		return false, err
	}
	_, err = svc.touchBook(tx, book, nil)
	return err == nil, err
}
