package storage

import (
	"bytes"
	"slices"
	"strings"
)

// In a file that is encrypted a word is no key: what stands for it is no order either, so
// that the words of a shelf are those of its list.

// wordKey is where the places of a word stand.
func (b *bucket) wordKey(shelf uint32, word string) []byte {
	key := shelfKey(shelf, 'w')
	if b.key == nil {
		return append(key, word...)
	}
	return append(key, b.key.name(b.path, append(slices.Clone(key), word...))...)
}

// places are those of a word, nil for one that the shelf does not have.
func (b *bucket) places(shelf uint32, word string) ([]byte, error) {
	return b.get(b.wordKey(shelf, word))
}

// eachWord gives the words of a shelf that begin with a text, with their places, which are
// nil where they cannot be read. The bucket must not change on the way.
func (b *bucket) eachWord(shelf uint32, begin string, yield func(word, places []byte)) {
	if b.key != nil {
		b.eachListed(shelf, func(word string) {
			if strings.HasPrefix(word, begin) {
				places, _ := b.places(shelf, word)
				yield([]byte(word), places)
			}
		})
		return
	}
	prefix := shelfKey(shelf, 'w')
	none := len(prefix)
	prefix = append(prefix, begin...)
	c := b.raw.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		yield(k[none:], v)
	}
}

// eachListed gives the words on the list of a shelf.
func (b *bucket) eachListed(shelf uint32, yield func(word string)) {
	for part := 0; ; part++ {
		list, err := b.get(listKey(shelf, uint16(part)))
		if err != nil {
			continue // the words on it are not found
		}
		if list == nil {
			return
		}
		for w := range bytes.SplitSeq(list, []byte{0}) {
			if w = bytes.TrimSuffix(w, []byte{cutMark}); len(w) > 0 {
				yield(string(w))
			}
		}
	}
}

// strayWords reports whether a shelf of a file that is encrypted has places of words that are
// not on its list.
func (b *bucket) strayWords(shelf uint32) bool {
	prefix := shelfKey(shelf, 'w')
	there, listed := 0, 0
	c := b.raw.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		there++
	}
	b.eachListed(shelf, func(string) { listed++ })
	return there != listed
}
