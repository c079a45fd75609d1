package movein

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// own finds the record that an item was moved out from, here or where this house was moved
// to. Where the item is as the record is now, it is here; where it differs, it is newer.
// Of a chat only all of its messages must be here: what it has more is added.
func (m *mover) own(l *loaded, sum []byte) error {
	return m.svc.core.Store.View(func(tx *storage.Tx) error {
		switch v := l.value.(type) {
		case ecosystem.ChatFile:
			id, whole, found, err := m.svc.library.OwnChat(tx, &v)
			if found {
				l.newer = false
			}
			if whole {
				l.here = string(id)
			}
			return err
		case ecosystem.Imported:
			return ownCharacter(tx, l, v)
		case ecosystem.ImportedBook:
			return m.ownBook(tx, l, v, sum)
		case ecosystem.Group: // is its chat
			if tx.HasChat(storage.ChatID(ecosystem.IDOf(v.Source))) {
				l.here = groupRecord(v)
			}
		}
		return nil
	})
}

func ownCharacter(tx *storage.Tx, l *loaded, card ecosystem.Imported) error {
	id, changed := ecosystem.CardID(card.Source)
	c, err := storage.Characters.Get(tx, storage.CharacterID(id))
	if err != nil {
		return failure.IgnoreMissing(err)
	}
	was, err := json.Marshal(c.Card)
	if err != nil {
		return err
	}
	now, err := json.Marshal(card.Card)
	l.differs(id, moment(changed), c.Card.Name, bytes.Equal(was, now))
	return err
}

func (m *mover) ownBook(tx *storage.Tx, l *loaded, book ecosystem.ImportedBook, sum []byte) error {
	id := storage.LorebookID(ecosystem.IDOf(book.Book.Source))
	b, err := storage.Lorebooks.Get(tx, id)
	if err != nil || b.Removed {
		return failure.IgnoreMissing(err)
	}
	h := sha256.New()
	if _, err := m.svc.library.WriteOwnBook(h, b); err != nil {
		return err
	}
	l.differs(string(id), time.Time{}, "", bytes.Equal(h.Sum(nil), sum))
	return nil
}

// differs notes the record of this house that an item is, and whether it is the same.
func (l *loaded) differs(id string, stamp time.Time, name string, same bool) {
	if same {
		l.here, l.newer = id, false
	} else if !l.newer {
		l.newer, l.of = true, &storage.Moved{Record: id, Stamp: stamp, Name: name}
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
