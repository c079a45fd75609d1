package activation

import "encoding/binary"

// finder finds which of many texts occur in another, in one pass over that. Texts
// are looked up by how they begin: by their first 8 bytes, or 4, 2 or 1 of shorter
// ones. It must not be changed once it is in use.
type finder struct {
	heads   [4]map[uint64]int32 // the last needle of each beginning, counted from 1
	needles []needle
	starts  [1 << 16 / 64]uint64 // a bit for each two bytes that a needle may begin with
}

// needle is a text that is looked for.
type needle struct {
	text  string
	whole bool  // no character of a word may touch it
	id    int32 // what is found with it
	next  int32 // the needle before it that begins alike, counted from 1
}

// headSizes are how many bytes the heads have.
var headSizes = [...]int{8, 4, 2, 1}

// add has the finder look for a text that is not empty.
func (f *finder) add(text string, whole bool, id int32) {
	n := 0
	for headSizes[n] > len(text) {
		n++
	}
	if f.heads[n] == nil {
		f.heads[n] = map[uint64]int32{}
	}
	h := head(text, headSizes[n])
	f.needles = append(f.needles, needle{text, whole, id, f.heads[n][h]})
	f.heads[n][h] = int32(len(f.needles))
	pair := int(text[0]) << 8
	if len(text) > 1 {
		pair |= int(text[1])
		f.starts[pair>>6] |= 1 << (pair & 63)
		return
	}
	for i := range 1 << 8 / 64 { // whatever follows
		f.starts[pair>>6+i] = ^uint64(0)
	}
}

// head returns the first bytes of a text as a number. size is one of headSizes.
func head(text string, size int) uint64 {
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
			if pair := int(s[i])<<8 | int(s[i+1]); f.starts[pair>>6]>>(pair&63)&1 == 0 {
				continue
			}
		}
		for n, heads := range f.heads {
			size := headSizes[n]
			if heads == nil || i+size > len(s) {
				continue
			}
			for at := heads[head(s[i:], size)]; at != 0; {
				x := &f.needles[at-1]
				at = x.next
				end := i + len(x.text)
				if end <= len(s) && s[i:end] == x.text && (!x.whole || alone(s, i, end)) {
					found(x.id)
				}
			}
		}
	}
}
