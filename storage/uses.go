package storage

import (
	"bytes"
	"iter"

	"github.com/oklog/ulid/v2"
)

// Sought are the words that are looked for on a chat's shelves: those that begin with a
// text and that Is accepts, nil for all of them, in messages made before Before, "" for
// all. Is is given a word as it is kept.
type Sought struct {
	Begin  string
	Is     func(word string) bool
	Before NodeID
}

// Uses is in about how many messages of a chat's shelves a sought word stands, and in how
// many of them with a capital: those of all branches, as they were when they were taken.
func (tx *Tx) Uses(chat ChatID, w Sought) (messages, capitals int) {
	tx.sought(chat, w, func(_ []byte, capital bool) bool {
		if messages++; capital {
			capitals++
		}
		return true
	})
	return messages, capitals
}

// Using gives the messages that Uses counts, the last taken first. One may come twice.
func (tx *Tx) Using(chat ChatID, w Sought) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		tx.sought(chat, w, func(id []byte, _ bool) bool { return yield(nodeOf(id)) })
	}
}

// sought gives the messages with sought words, the last taken first, by the bytes of their ids,
// and whether one of the words has a capital there.
func (tx *Tx) sought(chat ChatID, w Sought, yield func(id []byte, capital bool) bool) {
	b := tx.inner(bucketWords, string(chat))
	if b == nil || w.Begin == "" {
		return
	}
	var before []byte
	if id, err := ulid.ParseStrict(string(w.Before)); err == nil {
		before = id[:]
	}
	is := func(word []byte) bool { return w.Is == nil || w.Is(string(word)) }
	for shelf := range b.shelves() {
		var all, capitals shelfSet
		all.find(b, shelf, keptWord(w.Begin), is, &capitals)
		for at, id := range all.messages(b, shelf) {
			if before != nil && bytes.Compare(id, before) >= 0 {
				continue
			}
			if !yield(id, capitals[at/64]&(1<<(at%64)) != 0) {
				return
			}
		}
	}
}

// ShelvedTo is the last message of a chat up to which all were taken on a shelf, "" where
// none was.
func (tx *Tx) ShelvedTo(chat ChatID) NodeID {
	_, to := tx.shelved(chat)
	return NodeID(to)
}

// OnShelf reports whether the words that a message has now are on a shelf.
func (tx *Tx) OnShelf(chat ChatID, id NodeID) bool {
	b, to := tx.shelved(chat)
	return b != nil && string(id) <= to && !b.has(append(bytes.Clone(keyUnread), id...))
}

// Rewritten gives the messages up to ShelvedTo that are not OnShelf. The transaction must
// not write on the way.
func (tx *Tx) Rewritten(chat ChatID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		b, _ := tx.shelved(chat)
		rewritten(b, yield)
	}
}

// Stretch is a row of messages of one path, the later one above the earlier, with no
// message of their chat made between them that is not of the path.
type Stretch struct{ First, Last NodeID }

// StretchTo is the stretch that ends with a message, of at most most messages, and the
// parent of its first. Going up so takes a tenth of what PathPlaces takes. First is "" where
// the message cannot be read.
func (tx *Tx) StretchTo(chat ChatID, leaf NodeID, most int) (s Stretch, up NodeID) {
	t := tx.tree(chat)
	if t.places == nil || leaf == "" {
		return s, ""
	}
	c := t.places.Cursor()
	k, v := c.Seek([]byte(leaf))
	if string(k) != string(leaf) || len(v) < placeHeadBytes {
		return s, ""
	}
	first, parent := k, v[placeHeadBytes:]
	for range most - 1 {
		if k, v = c.Prev(); k == nil || !bytes.Equal(k, parent) || len(v) < placeHeadBytes {
			break
		}
		first, parent = k, v[placeHeadBytes:]
	}
	return Stretch{NodeID(first), leaf}, NodeID(parent)
}
