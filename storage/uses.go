package storage

import (
	"bytes"
	"iter"

	"github.com/oklog/ulid/v2"
)

// WordFilter selects words of a chat's word index.
type WordFilter struct {
	Begin  string                 // the prefix of the word; "" selects nothing
	Accept func(word string) bool // gets the word as stored; nil accepts all
	Before NodeID                 // only messages older than this one; "" for all
}

// CountWordUses returns in about how many indexed messages of a chat, of all branches, a
// selected word occurs, and in how many of them it is capitalized. Rewritten messages count
// with the text that was indexed.
func (tx *Tx) CountWordUses(chat ChatID, w WordFilter) (messages, capitals int) {
	tx.eachUse(chat, w, func(_ []byte, capital bool) bool {
		if messages++; capital {
			capitals++
		}
		return true
	})
	return messages, capitals
}

// MessagesUsing iterates over the messages that CountWordUses counts, the last indexed first.
// A rewritten message may come twice.
func (tx *Tx) MessagesUsing(chat ChatID, w WordFilter) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		tx.eachUse(chat, w, func(id []byte, _ bool) bool { return yield(nodeIDOf(id)) })
	}
}

// eachUse yields the messages that have a selected word, the last indexed first: the bytes of
// the id, and whether such a word is capitalized in the message.
func (tx *Tx) eachUse(chat ChatID, w WordFilter, yield func(id []byte, capital bool) bool) {
	b := tx.inner(bucketWords, string(chat))
	if b == nil || w.Begin == "" {
		return
	}
	var before []byte
	if id, err := ulid.ParseStrict(string(w.Before)); err == nil {
		before = id[:]
	}
	is := func(word []byte) bool { return w.Accept == nil || w.Accept(string(word)) }
	for segment := range b.segments() {
		var all, capitals placeSet
		all.find(b, segment, truncateWord(w.Begin), is, &capitals)
		for at, id := range all.messages(b, segment) {
			if before != nil && bytes.Compare(id, before) >= 0 {
				continue
			}
			if !yield(id, capitals[at/64]&(1<<(at%64)) != 0) {
				return
			}
		}
	}
}

// IndexedUpTo returns the last indexed message of a chat, "" if none is. All messages before
// it are indexed, too.
func (tx *Tx) IndexedUpTo(chat ChatID) NodeID {
	_, to := tx.wordIndex(chat)
	return NodeID(to)
}

// IsIndexed reports whether the current words of a message are indexed.
func (tx *Tx) IsIndexed(chat ChatID, id NodeID) bool {
	b, to := tx.wordIndex(chat)
	return b != nil && string(id) <= to && !b.has(append(bytes.Clone(keyRewritten), id...))
}

// Rewritten iterates over the indexed messages that were rewritten since. The transaction
// must not write during the iteration.
func (tx *Tx) Rewritten(chat ChatID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		b, _ := tx.wordIndex(chat)
		rewritten(b, yield)
	}
}

// PathRange is a run of messages on one path, from First down to Last. No message of another branch
// was created between them.
type PathRange struct{ First, Last NodeID }

// PathRangeTo returns the range of no more than most messages that ends with a message, and the
// parent of the range's first. Walking up in ranges takes a tenth of the time of PathInfos. First
// is "" if the message cannot be read.
func (tx *Tx) PathRangeTo(chat ChatID, leaf NodeID, most int) (s PathRange, up NodeID) {
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
	return PathRange{NodeID(first), leaf}, NodeID(parent)
}
