package storage

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The words of a shelf stand once more in a row, a list: what stands within a word is
// found by going through it, which takes a tenth of what going through the keys takes.
const (
	listPart = 16 << 10 // bytes of one value of a list
	// cutWord is the length from which on a kept word may be cut off: there may be
	// anything in it. Such a one has a mark behind it.
	cutWord = mostWord - 3
	cutMark = 1
	// mostWithin is how many words are looked up one by one; if more have what is looked
	// for within, going through all is quicker.
	mostWithin = 256
)

func listKey(shelf uint32, part uint16) []byte {
	return binary.BigEndian.AppendUint16(shelfKey(shelf, 'x'), part)
}

// hasList reports whether a shelf has a list of its words.
func hasList(b *bucket, shelf uint32) bool { return b.has(listKey(shelf, 0)) }

// listWords adds words to the list of a shelf.
func listWords(b *bucket, shelf uint32, fresh []string) error {
	var last []byte
	part := 0
	for b.has(listKey(shelf, uint16(part))) {
		part++
	}
	if part > 0 {
		var err error
		if last, err = b.get(listKey(shelf, uint16(part-1))); err != nil {
			return err
		}
	}
	part = max(0, part-1)
	if last = slices.Clone(last); last == nil {
		last = []byte{0}
	}
	for _, w := range fresh {
		if len(last) >= listPart {
			if err := b.put(listKey(shelf, uint16(part)), last); err != nil {
				return err
			}
			part, last = part+1, []byte{0}
		}
		if last = append(last, w...); len(w) >= cutWord {
			last = append(last, cutMark)
		}
		last = append(last, 0)
	}
	return b.put(listKey(shelf, uint16(part)), last)
}

// findWithin adds the places of all words that a text stands within, or may.
func (s *shelfSet) findWithin(b *bucket, shelf uint32, text string) {
	if !hasList(b, shelf) {
		s.findAmong(b, shelf, []byte(text))
		return
	}
	found := map[string]bool{}
	for part := 0; ; part++ {
		list, err := b.get(listKey(shelf, uint16(part)))
		if err != nil {
			continue // what stands on it is not found
		}
		if list == nil {
			break
		}
		for _, want := range [][]byte{[]byte(text), {cutMark}} {
			for at := 0; ; {
				i := bytes.Index(list[at:], want)
				if i < 0 {
					break
				}
				from := bytes.LastIndexByte(list[:at+i], 0) + 1
				to := len(list)
				if n := bytes.IndexByte(list[at+i:], 0); n >= 0 {
					to = at + i + n
				}
				found[string(bytes.TrimSuffix(list[from:to], []byte{cutMark}))] = true
				at = to
			}
		}
		if len(found) > mostWithin {
			s.findAmong(b, shelf, []byte(text))
			return
		}
	}
	for w := range found {
		places, _ := b.places(shelf, w) // those of a damaged word are not found
		eachPlace(places, func(at int, _ bool) { s[at/64] |= 1 << (at % 64) })
	}
}

// findAmong does the same by going through all words.
func (s *shelfSet) findAmong(b *bucket, shelf uint32, text []byte) {
	b.eachWord(shelf, "", func(w, v []byte) {
		if len(w) >= cutWord || bytes.Contains(w, text) {
			eachPlace(v, func(at int, _ bool) { s[at/64] |= 1 << (at % 64) })
		}
	})
}
