package linter

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// finder counts in how many texts each of many strings occurs, reading every
// text once. Its strings are added before the first text. It compares bytes: the
// caller folds both sides.
//
// It is a trie whose nodes know their longest suffix in it. That a string occurs
// in a text at all is settled after the text, along the suffixes, each once; so
// the time is linear in the text whatever the strings are. Only strings that must
// stand by themselves are looked at where they occur: see maxFound.
type finder struct {
	slots map[sought]int32
	seen  []occurrence // by slot
	built bool

	// The trie, level by level: the children of a node stand next to each other,
	// from child[node] to child[node+1], and label is the byte that leads to a node.
	child []int32
	label []byte
	fail  []int32 // the longest proper suffix
	ends  []bool  // a string ends here, or at a suffix
	nodes []finderNode

	text    int32 // number of the text at hand, from 1
	touched []int32
}

// sought is a string to find. One that stands alone has no ASCII letter, digit
// or underscore next to it.
type sought struct {
	text  string
	alone bool
}

// occurrence is where a string was found: in so many texts, and the tags of the
// first and the last of them.
type occurrence struct {
	texts       int
	first, last int32
}

// finderNode is what is asked only of nodes where strings end.
type finderNode struct {
	next        int32 // the nearest suffix, itself included, that ends a string; 0 for none
	alone       int32 // and the nearest that ends one that must stand alone
	slot, apart int32 // of the strings that end here, -1 for none
	passed      int32 // the text in which the node was last reached
	counted     int32 // and in which its strings were counted
	depth       int32
}

// maxFound bounds the strings in bytes. It bounds the work of those that must
// stand alone, of which as many as there are lengths can end at one place.
const maxFound = 256

func newFinder() *finder { return &finder{slots: map[sought]int32{}} }

// add takes a string in and returns its slot, -1 for one that cannot be sought.
func (f *finder) add(s sought) int32 {
	if s.text == "" || len(s.text) > maxFound {
		return -1
	}
	slot, ok := f.slots[s]
	if !ok {
		slot = int32(len(f.seen)) //nolint:gosec // far fewer than 2^31 keys fit in memory
		f.slots[s], f.seen = slot, append(f.seen, occurrence{first: -1, last: -1})
	}
	return slot
}

// build makes the trie of the sorted strings: each node is a range of those that
// begin alike.
func (f *finder) build() {
	f.built = true
	sorted := make([]string, 0, len(f.slots))
	for s := range f.slots {
		sorted = append(sorted, s.text)
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	type reach struct{ from, to, depth, parent int32 }
	queue := []reach{{to: int32(len(sorted))}} //nolint:gosec // as above
	f.label, f.fail = []byte{0}, []int32{0}
	for at := int32(0); int(at) < len(queue); at++ {
		r := queue[at]
		f.child = append(f.child, int32(len(queue))) //nolint:gosec // as above
		f.settle(at, r.parent, r.depth, sorted[r.from:r.to])
		from := r.from
		if from < r.to && len(sorted[from]) == int(r.depth) {
			from++
		}
		for from < r.to {
			b, to := sorted[from][r.depth], from+1
			for to < r.to && sorted[to][r.depth] == b {
				to++
			}
			queue = append(queue, reach{from, to, r.depth + 1, at})
			f.label, f.fail = append(f.label, b), append(f.fail, 0)
			from = to
		}
	}
	f.child = append(f.child, int32(len(queue))) //nolint:gosec // as above
}

// settle finds a node's suffix, and which strings end there. All shorter nodes
// are settled.
func (f *finder) settle(at, parent, depth int32, below []string) {
	n := finderNode{slot: -1, apart: -1, depth: depth}
	if depth > 1 {
		fail := f.fail[parent]
		to := f.step(fail, f.label[at])
		for to == 0 && fail != 0 {
			fail = f.fail[fail]
			to = f.step(fail, f.label[at])
		}
		f.fail[at] = to
		n.next, n.alone = f.nodes[to].next, f.nodes[to].alone
	}
	if depth > 0 && len(below[0]) == int(depth) {
		if slot, ok := f.slots[sought{below[0], false}]; ok {
			n.slot, n.next = slot, at
		}
		if slot, ok := f.slots[sought{below[0], true}]; ok {
			n.apart, n.alone = slot, at
		}
	}
	f.nodes, f.ends = append(f.nodes, n), append(f.ends, n.next != 0 || n.alone != 0)
}

// step is the child for a byte, 0 for none.
func (f *finder) step(at int32, b byte) int32 {
	from := f.child[at]
	if n := bytes.IndexByte(f.label[from:f.child[at+1]], b); n >= 0 {
		return from + int32(n) //nolint:gosec // fewer than 257
	}
	return 0
}

// read counts what occurs in a text. tag is the caller's name for it.
func (f *finder) read(text string, tag int32) {
	if !f.built {
		f.build()
	}
	f.text++
	f.touched = f.touched[:0]
	at := int32(0)
	for i := range len(text) {
		b := text[i]
		to := f.step(at, b)
		for to == 0 && at != 0 {
			at = f.fail[at]
			to = f.step(at, b)
		}
		if at = to; !f.ends[at] {
			continue
		}
		n := &f.nodes[at]
		if n.next != 0 && n.passed != f.text {
			n.passed = f.text
			f.touched = append(f.touched, n.next)
		}
		if n.alone != 0 {
			f.standing(n.alone, text, i+1, tag)
		}
	}
	for _, at := range f.touched {
		for at != 0 && f.nodes[at].counted != f.text {
			n := &f.nodes[at]
			n.counted = f.text
			f.count(n.slot, tag)
			at = f.nodes[f.fail[at]].next
		}
	}
}

// standing counts the strings that end before end and have no word around them.
func (f *finder) standing(at int32, text string, end int, tag int32) {
	if end < len(text) && isWordByte(text[end]) {
		return
	}
	for at != 0 {
		n := &f.nodes[at]
		if start := end - int(n.depth); start == 0 || !isWordByte(text[start-1]) {
			f.count(n.apart, tag)
		}
		at = f.nodes[f.fail[at]].alone
	}
}

func (f *finder) count(slot, tag int32) {
	o := &f.seen[slot]
	if o.texts > 0 && o.last == tag {
		return
	}
	if o.texts++; o.texts == 1 {
		o.first = tag
	}
	o.last = tag
}

// forget counts from nothing again.
func (f *finder) forget() {
	for i := range f.seen {
		f.seen[i] = occurrence{first: -1, last: -1}
	}
}

// isWordByte tells the letters of the ecosystem's word boundaries: ASCII alone.
func isWordByte(b byte) bool {
	return b == '_' || b < utf8.RuneSelf && (b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z')
}
