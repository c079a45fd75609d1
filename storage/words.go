package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"
)

// The words of a chat's messages stand in its bucket in shelves of up to shelfSize
// messages, the newest shelf first:
//
//	m             the last message up to which all are on a shelf
//	d id          a message before that one which was written since
//	s ^shelf c n  the words of a shelf, in chunks; see eachOfChunk
//	s ^shelf f    the first word of each chunk, with a zero byte between them
//	s ^shelf t    the ids of a shelf's messages, 16 bytes each, in the order of taking
//
// The newest shelf is written again with the words of each step. A shelf is full when it has
// shelfSize messages or shelfBytes of words: that bounds what a step writes.
const (
	shelfSize  = 4096
	shelfBytes = 512 << 10
	mostWord   = 32 // bytes of a word that are kept
	// cutWord is the length from which on a kept word may be cut off: there may be anything
	// in it.
	cutWord   = mostWord - 3
	kindWords = "words"
)

var (
	keyWordsTo = []byte("m")
	keyUnread  = []byte("d")
)

// Word is one of a message's words as it is looked for.
type Word struct {
	Text    string // in lower case; what goes beyond 32 bytes is not kept
	Capital bool   // it is written with one somewhere in the message
}

// Worded is a message with its words, each once.
type Worded struct {
	ID    NodeID
	Words []Word
}

func shelfKey(shelf uint32, part byte) []byte {
	key := make([]byte, 6, 6+mostWord)
	key[0], key[5] = 's', part
	binary.BigEndian.PutUint32(key[1:], ^shelf)
	return key
}

// keptWord is of a word what is kept.
func keptWord(w string) string {
	if len(w) <= mostWord {
		return w
	}
	n := mostWord
	for n > 0 && !utf8.RuneStart(w[n]) {
		n--
	}
	return w[:n]
}

// ShelveWords takes in the words of messages that have none on a shelf, or others by
// now. They must be those of NextToShelve: all up to the last of them count as taken.
func (tx *Tx) ShelveWords(chat ChatID, list []Worded) error {
	if len(list) == 0 {
		return nil
	}
	if !tx.has(bucketChats, string(chat)) {
		return &NotFoundError{Kind: Chats.kind, ID: string(chat)}
	}
	outer := tx.bucket(bucketWords)
	if outer == nil {
		return fmt.Errorf("save %s: %w: their table is missing", kindWords, ErrCorrupt)
	}
	b, err := outer.make(string(chat))
	if err != nil {
		return ioError("save "+kindWords, err)
	}
	to := NodeID(b.raw.Get(keyWordsTo))
	for rest := list; len(rest) > 0; {
		shelf, table := lastShelf(b)
		if isFull(b, shelf, table) {
			shelf, table = shelf+1, nil
		}
		n := min(len(rest), shelfSize-len(table)/ulidSize)
		if err := putShelf(b, shelf, table, rest[:n]); err != nil {
			return ioError("save "+kindWords, err)
		}
		rest = rest[n:]
	}
	for _, w := range list {
		to = max(to, w.ID)
		if err := b.remove(append(slices.Clone(keyUnread), w.ID...)); err != nil {
			return ioError("save "+kindWords, err)
		}
	}
	return ioError("save "+kindWords, b.raw.Put(keyWordsTo, []byte(to)))
}

const ulidSize = len(ulid.ULID{})

// lastShelf is the newest shelf and its table, which is nil where there is none.
func lastShelf(b *bucket) (uint32, []byte) {
	k, _ := b.raw.Cursor().Seek([]byte("s"))
	if len(k) < 6 || k[0] != 's' {
		return 0, nil
	}
	shelf := ^binary.BigEndian.Uint32(k[1:])
	return shelf, b.raw.Get(shelfKey(shelf, 't'))
}

// isFull reports whether a shelf has no room, or cannot be read: what cannot be is not
// written again.
func isFull(b *bucket, shelf uint32, table []byte) bool {
	firsts, err := firstWords(b, shelf)
	return err != nil || len(table)/ulidSize >= shelfSize || len(firsts) > shelfBytes/chunkSize
}

// putShelf adds messages to a shelf that has room for them.
func putShelf(b *bucket, shelf uint32, table []byte, list []Worded) error {
	at, table := len(table)/ulidSize, slices.Clone(table)
	fresh := map[string][]byte{} // the places by word
	for i, w := range list {
		id, err := ulid.ParseStrict(string(w.ID))
		if err != nil {
			return fmt.Errorf("%w: %q", ErrBadID, clip(string(w.ID), 40))
		}
		table = append(table, id[:]...)
		for _, word := range w.Words {
			if key := keptWord(word.Text); key != "" {
				fresh[key] = addPlace(fresh[key], at+i, word.Capital)
			}
		}
	}
	words := slices.Sorted(maps.Keys(fresh))
	var out chunkWriter
	var was []byte
	sound := b.eachWord(shelf, "", func(word, places []byte) {
		for len(words) > 0 && words[0] < string(word) {
			out.add([]byte(words[0]), fresh[words[0]])
			words = words[1:]
		}
		was = append(was[:0], places...)
		if len(words) > 0 && words[0] == string(word) {
			eachPlace(fresh[words[0]], func(at int, capital bool) { was = addPlace(was, at, capital) })
			words = words[1:]
		}
		out.add(word, was)
	})
	if !sound {
		return fmt.Errorf("%w: the words of a shelf cannot be read", ErrCorrupt)
	}
	for _, w := range words {
		out.add([]byte(w), fresh[w])
	}
	if err := out.store(b, shelf); err != nil {
		return err
	}
	return b.raw.Put(shelfKey(shelf, 't'), table)
}

// shelved is a chat's bucket of words, and the last message up to which all are on a
// shelf.
func (tx *Tx) shelved(chat ChatID) (b *bucket, to string) {
	if b = tx.inner(bucketWords, string(chat)); b != nil {
		to = string(b.raw.Get(keyWordsTo))
	}
	return b, to
}

// rewritten are the messages up to that one which were written since.
func rewritten(b *bucket, yield func(NodeID) bool) {
	if b == nil {
		return
	}
	for k := range b.after(keyUnread) {
		if len(k) <= 1 || k[0] != keyUnread[0] || !yield(NodeID(k[1:])) {
			return
		}
	}
}

// NextToShelve are the oldest of Unshelved, at most most, in the order in which
// ShelveWords takes them.
func (tx *Tx) NextToShelve(chat ChatID, most int) (out []NodeID) {
	t := tx.tree(chat)
	b, to := tx.shelved(chat)
	if t.places == nil {
		return nil
	}
	rewritten(b, func(id NodeID) bool { out = append(out, id); return len(out) < most })
	c := t.places.Cursor()
	k, _ := c.Seek([]byte(to))
	if to != "" && string(k) == to {
		k, _ = c.Next()
	}
	for ; k != nil && len(out) < most; k, _ = c.Next() {
		out = append(out, NodeID(k))
	}
	return out
}

// Unshelved gives the messages of a chat whose words are on no shelf, the newest first,
// and then those whose words may be others by now. Deleted ones are among them. The
// transaction must not write on the way.
func (tx *Tx) Unshelved(chat ChatID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		t := tx.tree(chat)
		if t.places == nil {
			return
		}
		b, to := tx.shelved(chat)
		c := t.places.Cursor()
		for k, _ := c.Last(); string(k) > to; k, _ = c.Prev() {
			if !yield(NodeID(k)) {
				return
			}
		}
		rewritten(b, yield)
	}
}

// Shelved gives the messages of a chat that Unshelved does not, the newest first. The
// transaction must not write on the way.
func (tx *Tx) Shelved(chat ChatID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		t := tx.tree(chat)
		if _, to := tx.shelved(chat); t.places != nil && to != "" {
			c := t.places.Cursor()
			k, _ := c.Seek([]byte(to))
			if k == nil {
				k, _ = c.Last()
			}
			for ; k != nil; k, _ = c.Prev() {
				if string(k) <= to && !yield(NodeID(k)) {
					return
				}
			}
		}
	}
}

// unshelve notes that a message on a shelf has other words.
func (tx *Tx) unshelve(chat ChatID, id NodeID) error {
	b, to := tx.shelved(chat)
	if b == nil || string(id) > to {
		return nil
	}
	return ioError("save "+kindWords, b.raw.Put(append(slices.Clone(keyUnread), id...), nil))
}

// shelfSet is a set of places on a shelf.
type shelfSet [shelfSize / 64]uint64

// Wanted are the words that messages are looked for by.
type Wanted struct {
	Begin  []string // each begins a word of the message
	Within string   // it stands within a word, "" for nothing
}

// WithWords gives the messages of a chat that have some words, the last taken first. They
// may have been rewritten or deleted since, and a long word counts as one with anything in
// it: what each really says has to be looked at. What is on no shelf is not among them,
// see Unshelved.
func (tx *Tx) WithWords(chat ChatID, want Wanted) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		b := tx.inner(bucketWords, string(chat))
		if b == nil {
			return
		}
		// The longest is mostly the rarest: where it is missing, no other is looked for.
		begin := slices.SortedStableFunc(slices.Values(want.Begin), func(a, b string) int { return len(b) - len(a) })
		var all, one shelfSet
		for shelf := range b.shelves() {
			for i := range all {
				all[i] = ^uint64(0)
			}
			for _, text := range begin {
				one = shelfSet{}
				one.find(b, shelf, keptWord(text), nil, nil)
				if all.and(&one); all == (shelfSet{}) {
					break
				}
			}
			if want.Within != "" && all != (shelfSet{}) {
				one = shelfSet{}
				one.find(b, shelf, "", func(word []byte) bool {
					return len(word) >= cutWord || bytes.Contains(word, []byte(want.Within))
				}, nil)
				all.and(&one)
			}
			for _, id := range all.messages(b, shelf) {
				if !yield(nodeOf(id)) {
					return
				}
			}
		}
	}
}

// shelves gives the shelves from the newest to the oldest.
func (b *bucket) shelves() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for shelf, _ := lastShelf(b); yield(shelf) && shelf > 0; shelf-- {
		}
	}
}

// messages gives the messages at the places of a shelf, the last first, by the bytes of their ids.
func (s *shelfSet) messages(b *bucket, shelf uint32) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if *s == (shelfSet{}) {
			return
		}
		table := b.raw.Get(shelfKey(shelf, 't'))
		for at := range s.down() {
			if end := (at + 1) * ulidSize; end <= len(table) && !yield(at, table[end-ulidSize:end]) {
				return
			}
		}
	}
}

// nodeOf is the message that the bytes of an id name.
func nodeOf(raw []byte) NodeID { return NodeID(ulid.ULID(raw).String()) }

// find adds the places of all words that begin with a text and that is accepts, nil for all;
// and to capitals, unless nil, those at which one has a capital.
func (s *shelfSet) find(b *bucket, shelf uint32, begin string, is func(word []byte) bool, capitals *shelfSet) {
	b.eachWord(shelf, begin, func(word, v []byte) {
		if is != nil && !is(word) {
			return
		}
		eachPlace(v, func(at int, capital bool) {
			s[at/64] |= 1 << (at % 64)
			if capital && capitals != nil {
				capitals[at/64] |= 1 << (at % 64)
			}
		})
	})
}

func (s *shelfSet) and(o *shelfSet) {
	for i := range s {
		s[i] &= o[i]
	}
}

// down gives the places from the last to the first.
func (s *shelfSet) down() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := len(s) - 1; i >= 0; i-- {
			for w := s[i]; w != 0; {
				bit := 63 - bits.LeadingZeros64(w)
				if w &^= 1 << bit; !yield(i*64 + bit) {
					return
				}
			}
		}
	}
}
