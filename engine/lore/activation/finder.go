package activation

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// finder finds which of many texts occur in another one, in a single pass. Texts are looked up by
// their first 8 bytes, or 4, 2 or 1 of shorter ones; those with the same prefix are sorted. It must
// not be changed after ready.
type finder struct {
	prefixes [4]map[uint64]span   // of each beginning
	needles  []needle             // sorted by size of their heads, and by their texts
	byPrefix [1 << 16 / 64]uint64 // a bit for each two bytes that a needle may begin with
}

// span is a part of the needles.
type span struct{ from, to int32 }

// needle is a text that is looked for.
type needle struct {
	text  string
	whole bool  // no character of a word may touch it
	id    int32 // what is found with it
	short int32 // the longest needle of the same beginning that it begins with, -1 for none
}

// prefixSizes are the possible lengths of the prefixes, in bytes.
var prefixSizes = [...]int{8, 4, 2, 1}

// prefixSize returns which of the prefixSizes a text has.
func prefixSize(text string) (n int) {
	for prefixSizes[n] > len(text) {
		n++
	}
	return n
}

// add has the finder look for a text that is not empty.
func (f *finder) add(text string, whole bool, id int32) {
	f.needles = append(f.needles, needle{text, whole, id, -1})
	pair := int(text[0]) << 8
	if len(text) > 1 {
		pair |= int(text[1])
		f.byPrefix[pair>>6] |= 1 << (pair & 63)
		return
	}
	for i := range 1 << 8 / 64 { // with any next byte
		f.byPrefix[pair>>6+i] = ^uint64(0)
	}
}

// ready sorts the needles. It must be called once after the last add.
func (f *finder) ready() {
	slices.SortStableFunc(f.needles, func(a, b needle) int {
		return cmp.Or(cmp.Compare(prefixSize(a.text), prefixSize(b.text)), strings.Compare(a.text, b.text))
	})
	for i := range f.needles {
		x := &f.needles[i]
		n := prefixSize(x.text)
		if f.prefixes[n] == nil {
			f.prefixes[n] = map[uint64]span{}
		}
		h := prefixBits(x.text, prefixSizes[n])
		s, ok := f.prefixes[n][h]
		if !ok {
			s.from = int32(i)
		}
		s.to = int32(i) + 1
		f.prefixes[n][h] = s
		for x.short = int32(i) - 1; x.short >= s.from && !strings.HasPrefix(x.text, f.needles[x.short].text); {
			x.short = f.needles[x.short].short
		}
		if x.short < s.from {
			x.short = -1
		}
	}
}

// prefixBits returns the first bytes of a text as a number. size is one of prefixSizes.
func prefixBits(text string, size int) uint64 {
	var b [8]byte
	copy(b[:], text[:size])
	return binary.LittleEndian.Uint64(b[:])
}

// find calls found with the id of each text that occurs in s; with some ids more
// than once.
func (f *finder) find(s string, found func(id int32)) {
	if len(f.needles) == 0 {
		return
	}
	for i := range len(s) {
		if i+1 < len(s) {
			if pair := int(s[i])<<8 | int(s[i+1]); f.byPrefix[pair>>6]>>(pair&63)&1 == 0 {
				continue
			}
		}
		for n, heads := range f.prefixes {
			size := prefixSizes[n]
			if heads == nil || i+size > len(s) {
				continue
			}
			if alike, ok := heads[prefixBits(s[i:], size)]; ok {
				f.at(s, i, alike, found)
			}
		}
	}
}

// at calls found for each of the needles with this prefix that occur in s at byte i. The needle
// that s[i:] begins with is the last needle that does not sort after s[i:], or a prefix of that
// needle.
func (f *finder) at(s string, i int, alike span, found func(id int32)) {
	list := f.needles[alike.from:alike.to]
	n := len(list)
	if n > 1 {
		n, _ = slices.BinarySearchFunc(list, s[i:], func(x needle, rest string) int {
			if x.text <= rest {
				return -1
			}
			return 1
		})
	}
	for at := alike.from + int32(n) - 1; at >= alike.from; at = f.needles[at].short {
		x := &f.needles[at]
		if end := i + len(x.text); end <= len(s) && s[i:end] == x.text && (!x.whole || text.Alone(s, i, end)) {
			found(x.id)
		}
	}
}
