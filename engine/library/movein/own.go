package movein

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// matchMovedOut finds the record that an item was moved out from, or a record that was imported
// from the item before. If moving out would write the same item now, the item exists; if it
// differs, it is newer. A chat exists if all of its messages do; additional messages are added.
func (m *mover) matchMovedOut(l *loaded, sum []byte) error {
	switch v := l.value.(type) {
	case formats.ChatFile:
		return m.svc.core.Store.View(func(tx *storage.Tx) error { return m.matchChat(tx, l, &v) })
	case formats.ImportedCard:
		return m.matchCharacter(l, v)
	case formats.ImportedBook:
		return m.matchBook(l, v, sum)
	case formats.Group: // imported with its chat
		return m.svc.core.Store.View(func(tx *storage.Tx) error {
			if tx.HasChat(storage.ChatID(formats.IDOf(v.Source))) {
				l.existing = groupRecord(v)
			}
			return nil
		})
	}
	return nil
}

func (m *mover) matchChat(tx *storage.Tx, l *loaded, f *formats.ChatFile) error {
	id, whole, found, err := m.svc.library.OwnChat(tx, f)
	if found {
		l.newer = false
	}
	if whole {
		l.existing = string(id)
	}
	return err
}

func (m *mover) matchCharacter(l *loaded, card formats.ImportedCard) error {
	id, changed := formats.CardID(card.Source)
	c, found, err := getRecord(m, storage.Characters, storage.CharacterID(id))
	if err != nil {
		return err
	}
	if !found { // the bundled character has another ID in each store
		if id := m.index.texts[textKey(card.Card)]; id != "" {
			same, err := m.svc.library.IsSame(id, card)
			if same {
				l.existing = string(id)
			}
			return err
		}
		return nil
	}
	same, err := m.svc.library.IsMovedOut(c.ID, card)
	l.setOrigin(id, normalizeTime(changed), c.Card.Name, same)
	return err
}

func (m *mover) matchBook(l *loaded, book formats.ImportedBook, sum []byte) error {
	b, found, err := getRecord(m, storage.Lorebooks, storage.LorebookID(formats.IDOf(book.Book.Source)))
	if err != nil || !found || b.Removed {
		return err
	}
	h := sha256.New()
	if _, err := m.svc.library.WriteOwnBook(h, b); err != nil {
		return err
	}
	l.setOrigin(string(b.ID), time.Time{}, "", bytes.Equal(h.Sum(nil), sum))
	return nil
}

// getRecord reads a record in a transaction of its own: the comparisons open further transactions,
// which must not be nested.
func getRecord[K ~string, V any](m *mover, t storage.Table[K, V], id K) (v V, found bool, err error) {
	if id == "" {
		return v, false, nil
	}
	err = m.svc.core.Store.View(func(tx *storage.Tx) (err error) { v, err = t.Get(tx, id); return err })
	return v, err == nil, failure.IgnoreMissing(err)
}

// setOrigin sets the record that an item was moved out from, and whether it is the same.
func (l *loaded) setOrigin(id string, stamp time.Time, name string, same bool) {
	if same {
		l.existing, l.newer = id, false
	} else if !l.newer {
		l.newer, l.origin = true, &storage.MovedRecord{Record: id, Stamp: stamp, Name: name}
		l.previous = *l.origin
	}
}

// freeID returns the ID that a record had when it was moved out, "" if it is taken or invalid.
func freeID[K ~string, V any](tx *storage.Tx, t storage.Table[K, V], id string) K {
	if !storage.IsID(id) {
		return ""
	}
	if _, err := t.Get(tx, K(id)); !errors.Is(err, storage.ErrNotFound) {
		return ""
	}
	return K(id)
}
