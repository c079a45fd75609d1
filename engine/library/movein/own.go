package movein

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// own finds the record that an item was moved out from, here or where it was moved in before.
// Where the item is what would be moved out now, it is here; where it differs, it is newer. Of
// a chat all messages must be here: what it has more is added.
func (m *mover) own(l *loaded, sum []byte) error {
	switch v := l.value.(type) {
	case ecosystem.ChatFile:
		return m.svc.core.Store.View(func(tx *storage.Tx) error { return m.ownChat(tx, l, &v) })
	case ecosystem.Imported:
		return m.ownCharacter(l, v)
	case ecosystem.ImportedBook:
		return m.ownBook(l, v, sum)
	case ecosystem.Group: // is its chat
		return m.svc.core.Store.View(func(tx *storage.Tx) error {
			if tx.HasChat(storage.ChatID(ecosystem.IDOf(v.Source))) {
				l.here = groupRecord(v)
			}
			return nil
		})
	}
	return nil
}

func (m *mover) ownChat(tx *storage.Tx, l *loaded, f *ecosystem.ChatFile) error {
	id, whole, found, err := m.svc.library.OwnChat(tx, f)
	if found {
		l.newer = false
	}
	if whole {
		l.here = string(id)
	}
	return err
}

func (m *mover) ownCharacter(l *loaded, card ecosystem.Imported) error {
	id, changed := ecosystem.CardID(card.Source)
	c, found, err := get(m, storage.Characters, storage.CharacterID(id))
	if err != nil {
		return err
	}
	if !found { // the character that comes with the program has another ID in each store
		if id := m.known.texts[textKey(card.Card)]; id != "" {
			same, err := m.svc.library.IsSame(id, card)
			if same {
				l.here = string(id)
			}
			return err
		}
		return nil
	}
	same, err := m.svc.library.IsMovedOut(c.ID, card)
	l.differs(id, moment(changed), c.Card.Name, same)
	return err
}

func (m *mover) ownBook(l *loaded, book ecosystem.ImportedBook, sum []byte) error {
	b, found, err := get(m, storage.Lorebooks, storage.LorebookID(ecosystem.IDOf(book.Book.Source)))
	if err != nil || !found || b.Removed {
		return err
	}
	h := sha256.New()
	if _, err := m.svc.library.WriteOwnBook(h, b); err != nil {
		return err
	}
	l.differs(string(b.ID), time.Time{}, "", bytes.Equal(h.Sum(nil), sum))
	return nil
}

// get reads a record in a transaction of its own: what compares it opens others, which must
// not stand within one.
func get[K ~string, V any](m *mover, t storage.Table[K, V], id K) (v V, found bool, err error) {
	if id == "" {
		return v, false, nil
	}
	err = m.svc.core.Store.View(func(tx *storage.Tx) (err error) { v, err = t.Get(tx, id); return err })
	return v, err == nil, failure.IgnoreMissing(err)
}

// differs notes the record that an item was moved out from, and whether it is the same.
func (l *loaded) differs(id string, stamp time.Time, name string, same bool) {
	if same {
		l.here, l.newer = id, false
	} else if !l.newer {
		l.newer, l.of = true, &storage.MovedRecord{Record: id, Stamp: stamp, Name: name}
		l.was = *l.of
	}
}

// freeID is an ID with which a record was moved out, "" where a new one has to be made.
func freeID[K ~string, V any](tx *storage.Tx, t storage.Table[K, V], id string) K {
	if !storage.IsID(id) {
		return ""
	}
	if _, err := t.Get(tx, K(id)); !errors.Is(err, storage.ErrNotFound) {
		return ""
	}
	return K(id)
}
