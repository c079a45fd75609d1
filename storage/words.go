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

// The word index of a chat is stored in its own bucket, in segments of up to segmentSize
// messages, the newest segment first:
//
//	m               the last indexed message; all earlier ones are indexed too
//	d id            an indexed message that was rewritten since
//	s ^segment c n  the words of a segment, in chunks; see eachOfChunk
//	s ^segment f    the first word of each chunk, separated by zero bytes
//	s ^segment t    the ids of a segment's messages, 16 bytes each, in the order of indexing
//
// Each step rewrites the newest segment. A segment is full when it has segmentSize messages
// or segmentBytes of words, which bounds what a step writes.
const (
	segmentSize  = 4096
	segmentBytes = 512 << 10
	maxWordBytes = 32 // bytes of a word that are stored
	// truncatedFrom is the length in bytes from which a stored word may be truncated. The full word
	// may contain any text.
	truncatedFrom = maxWordBytes - 3
	kindWords     = "words"
)

var (
	keyWordsTo   = []byte("m")
	keyRewritten = []byte("d")
)

// Word is a distinct word of a message.
type Word struct {
	Text    string // in lower case; only the first 32 bytes are stored
	Capital bool   // whether it is capitalized somewhere in the message
}

// MessageWords is the id of a message with its distinct words.
type MessageWords struct {
	ID    NodeID
	Words []Word
}

func segmentKey(segment uint32, part byte) []byte {
	key := make([]byte, 6, 6+maxWordBytes)
	key[0], key[5] = 's', part
	binary.BigEndian.PutUint32(key[1:], ^segment)
	return key
}

// truncateWord returns the part of a word that is stored: at most maxWordBytes of whole runes.
func truncateWord(w string) string {
	if len(w) <= maxWordBytes {
		return w
	}
	n := maxWordBytes
	for n > 0 && !utf8.RuneStart(w[n]) {
		n--
	}
	return w[:n]
}

// IndexWords indexes the words of messages. The messages must be those that NextUnindexed
// returned: all messages up to the last of them count as indexed afterwards.
func (tx *Tx) IndexWords(chat ChatID, list []MessageWords) error {
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
		segment, table := lastSegment(b)
		if isSegmentFull(b, segment, table) {
			segment, table = segment+1, nil
		}
		n := min(len(rest), segmentSize-len(table)/ulidSize)
		if err := addToSegment(b, segment, table, rest[:n]); err != nil {
			return ioError("save "+kindWords, err)
		}
		rest = rest[n:]
	}
	for _, w := range list {
		to = max(to, w.ID)
		if err := b.remove(append(slices.Clone(keyRewritten), w.ID...)); err != nil {
			return ioError("save "+kindWords, err)
		}
	}
	return ioError("save "+kindWords, b.raw.Put(keyWordsTo, []byte(to)))
}

const ulidSize = len(ulid.ULID{})

// lastSegment returns the number of the newest segment and its table of message ids, which
// is nil if the index is empty.
func lastSegment(b *bucket) (uint32, []byte) {
	k, _ := b.raw.Cursor().Seek([]byte("s"))
	if len(k) < 6 || k[0] != 's' {
		return 0, nil
	}
	segment := ^binary.BigEndian.Uint32(k[1:])
	return segment, b.raw.Get(segmentKey(segment, 't'))
}

// isSegmentFull reports whether a segment can take no more messages. A segment that cannot be
// read counts as full, so that it is not rewritten.
func isSegmentFull(b *bucket, segment uint32, table []byte) bool {
	firsts, err := firstWords(b, segment)
	return err != nil || len(table)/ulidSize >= segmentSize || len(firsts) > segmentBytes/chunkSize
}

// addToSegment adds messages to a segment, which must have space for them.
func addToSegment(b *bucket, segment uint32, table []byte, list []MessageWords) error {
	at, table := len(table)/ulidSize, slices.Clone(table)
	fresh := map[string][]byte{} // the places by word
	for i, w := range list {
		id, err := ulid.ParseStrict(string(w.ID))
		if err != nil {
			return fmt.Errorf("%w: %q", ErrBadID, clip(string(w.ID), 40))
		}
		table = append(table, id[:]...)
		for _, word := range w.Words {
			if key := truncateWord(word.Text); key != "" {
				fresh[key] = addPlace(fresh[key], at+i, word.Capital)
			}
		}
	}
	words := slices.Sorted(maps.Keys(fresh))
	var out chunkWriter
	var was []byte
	sound := b.eachWord(segment, "", func(word, places []byte) {
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
		return fmt.Errorf("%w: the words of a segment cannot be read", ErrCorrupt)
	}
	for _, w := range words {
		out.add([]byte(w), fresh[w])
	}
	if err := out.store(b, segment); err != nil {
		return err
	}
	return b.raw.Put(segmentKey(segment, 't'), table)
}

// wordIndex returns the bucket of a chat's word index and the id of the last indexed message.
// b is nil if the chat has no index.
func (tx *Tx) wordIndex(chat ChatID) (b *bucket, to string) {
	if b = tx.inner(bucketWords, string(chat)); b != nil {
		to = string(b.raw.Get(keyWordsTo))
	}
	return b, to
}

// rewritten yields the indexed messages that were rewritten since.
func rewritten(b *bucket, yield func(NodeID) bool) {
	if b == nil {
		return
	}
	for k := range b.after(keyRewritten) {
		if len(k) <= 1 || k[0] != keyRewritten[0] || !yield(NodeID(k[1:])) {
			return
		}
	}
}

// NextUnindexed returns no more than most messages to index next, in the order that IndexWords
// expects: rewritten messages first, then the oldest of Unindexed.
func (tx *Tx) NextUnindexed(chat ChatID, most int) (out []NodeID) {
	t := tx.tree(chat)
	b, to := tx.wordIndex(chat)
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

// Unindexed iterates over the messages of a chat that are not indexed, the newest first, and
// then over indexed ones that were rewritten since. Deleted messages are included. The
// transaction must not write during the iteration.
func (tx *Tx) Unindexed(chat ChatID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		t := tx.tree(chat)
		if t.places == nil {
			return
		}
		b, to := tx.wordIndex(chat)
		c := t.places.Cursor()
		for k, _ := c.Last(); string(k) > to; k, _ = c.Prev() {
			if !yield(NodeID(k)) {
				return
			}
		}
		rewritten(b, yield)
	}
}

// Indexed iterates over the indexed messages of a chat, the newest first; rewritten ones are
// included. The transaction must not write during the iteration.
func (tx *Tx) Indexed(chat ChatID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		t := tx.tree(chat)
		if _, to := tx.wordIndex(chat); t.places != nil && to != "" {
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

// markRewritten records that the words of a message changed, if the message is indexed.
func (tx *Tx) markRewritten(chat ChatID, id NodeID) error {
	b, to := tx.wordIndex(chat)
	if b == nil || string(id) > to {
		return nil
	}
	return ioError("save "+kindWords, b.raw.Put(append(slices.Clone(keyRewritten), id...), nil))
}

// placeSet is a set of places in a segment. The place of a message is its position in the
// segment's table.
type placeSet [segmentSize / 64]uint64

// WordQuery selects messages by their words. A message must match all of it.
type WordQuery struct {
	Begin  []string // prefixes; each must begin a word of the message
	Within string   // a substring that must occur within a word; "" matches every message
}

// MessagesWithWords iterates over the indexed messages of a chat that may match a query, the
// last indexed first. The caller must check the text of each: it may have been rewritten or
// deleted since, and a truncated word counts as a match of Within. For messages that are not
// indexed, see Unindexed.
func (tx *Tx) MessagesWithWords(chat ChatID, want WordQuery) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		b := tx.inner(bucketWords, string(chat))
		if b == nil {
			return
		}
		// The longest prefix is mostly the rarest. If it is missing, the others need no lookup.
		begin := slices.SortedStableFunc(slices.Values(want.Begin), func(a, b string) int { return len(b) - len(a) })
		var all, one placeSet
		for segment := range b.segments() {
			for i := range all {
				all[i] = ^uint64(0)
			}
			for _, text := range begin {
				one = placeSet{}
				one.find(b, segment, truncateWord(text), nil, nil)
				if all.and(&one); all == (placeSet{}) {
					break
				}
			}
			if want.Within != "" && all != (placeSet{}) {
				one = placeSet{}
				one.find(b, segment, "", func(word []byte) bool {
					return len(word) >= truncatedFrom || bytes.Contains(word, []byte(want.Within))
				}, nil)
				all.and(&one)
			}
			for _, id := range all.messages(b, segment) {
				if !yield(nodeIDOf(id)) {
					return
				}
			}
		}
	}
}

// segments iterates over the segments, the newest first.
func (b *bucket) segments() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for segment, _ := lastSegment(b); yield(segment) && segment > 0; segment-- {
		}
	}
}

// messages iterates over the places in the set, the last first, with the message id in bytes.
func (s *placeSet) messages(b *bucket, segment uint32) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if *s == (placeSet{}) {
			return
		}
		table := b.raw.Get(segmentKey(segment, 't'))
		for at := range s.down() {
			if end := (at + 1) * ulidSize; end <= len(table) && !yield(at, table[end-ulidSize:end]) {
				return
			}
		}
	}
}

// nodeIDOf returns the message id that the bytes encode.
func nodeIDOf(raw []byte) NodeID { return NodeID(ulid.ULID(raw).String()) }

// find adds the places of all words with a prefix that is accepts. A nil is accepts all words.
// Places where such a word is capitalized are also added to capitals, unless it is nil.
func (s *placeSet) find(b *bucket, segment uint32, begin string, is func(word []byte) bool, capitals *placeSet) {
	b.eachWord(segment, begin, func(word, v []byte) {
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

func (s *placeSet) and(o *placeSet) {
	for i := range s {
		s[i] &= o[i]
	}
}

// down iterates over the places from the last to the first.
func (s *placeSet) down() iter.Seq[int] {
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
