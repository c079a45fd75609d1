package activation

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// automaton finds all occurrences of many texts in one pass over another
// (Aho and Corasick's). It is this package's own because a lorebook needs what
// no library for Go has at once: matches that overlap, which of them are words by
// JavaScript's rules, and room for hundreds of thousands of states. Tables of all
// transitions take over 100 bytes a state; this takes 17, which also is what
// makes it fast, as most of it stays in the processor's caches.
//
// States are numbered breadth first, so that the children of one lie side by
// side. Bytes are in 32 classes; a state knows the classes of its children as
// bits, and a child's place is the count of the bits before its own. Where two
// children share a class, they are searched one by one.
type automaton struct {
	nodes  []node
	labels []byte      // the byte that leads to each state
	root   [256]uint32 // the first step, for all bytes
	class  [256]uint8
	ends   []end // from 1
	more   [][]uint32
	// starts has a bit for each four bytes that a text may begin with, by their
	// hash. Where no text has begun, all else is passed over without a look at the
	// states. Nil if there are too many beginnings for that to help.
	starts *beginnings
	// Where no text is shorter than four bytes, every other place will do: it has to
	// hold the first four bytes of a text or those from the second on. These are in
	// either, which is nil if there are too many.
	either *beginnings
	heads  heads // beside starts
}

// heads are the states of the first bytes of all texts, by these bytes: from where a text
// may begin it is one step to there. As many bytes as the shortest text has, at most four.
type heads struct {
	length int
	first  [5]uint32 // the first state of each depth up to there
	mask   uint32    // of the bytes
	shift  int
	at     []head // a power of two, half empty
}

type head struct {
	bytes, state uint32
	next         uint32 // which two bytes follow it in texts, as bits by their hash
}

func (h *heads) slot(bytes uint32) uint32 { return bytes * 0x9e3779b1 >> h.shift }

// after is the bit of two bytes that follow a head.
func after(two uint32) uint32 { return 1 << (two * 0x9e3779b1 << 16 >> 27) }

// find is the state of the head with which text begins, 0 if it has none or one after
// which no text goes on like that.
func (h *heads) find(text []byte) uint32 {
	four := binary.LittleEndian.Uint32(text) & h.mask
	for i := h.slot(four); ; i++ {
		e := &h.at[i&uint32(len(h.at)-1)]
		if e.state == 0 {
			return 0
		}
		if e.bytes != four {
			continue
		}
		if rest := text[h.length:]; len(rest) >= 2 && e.next&after(uint32(binary.LittleEndian.Uint16(rest))) == 0 {
			return 0
		}
		return e.state
	}
}

// put takes in how a text begins, and the state of its head.
func (h *heads) put(text string, state uint32) {
	var four [4]byte
	copy(four[:], text[:h.length])
	bytes := binary.LittleEndian.Uint32(four[:])
	i := h.slot(bytes)
	for h.at[i].state != 0 && h.at[i].bytes != bytes {
		i = (i + 1) & uint32(len(h.at)-1)
	}
	next := ^uint32(0) // anything may follow a text that ends
	if rest := text[h.length:]; len(rest) >= 2 {
		next = after(uint32(rest[0]) | uint32(rest[1])<<8)
	}
	h.at[i] = head{bytes, state, next | h.at[i].next}
}

// depth is how many bytes a state below the heads stands for.
func (h *heads) depth(s uint32) int {
	d := h.length - 1
	for s < h.first[d] {
		d--
	}
	return d
}

const startBits = 16

// beginnings is a set of four bytes each, by their hash.
type beginnings [1 << (startBits - 6)]uint64

// add takes in four bytes. Of those that are not known any may follow.
func (b *beginnings) add(known string) {
	var four [4]byte
	n := 1
	if copy(four[:], known) == 3 {
		n = 256
	}
	for c := range n {
		if n > 1 {
			four[3] = byte(c)
		}
		h := start(binary.LittleEndian.Uint32(four[:]))
		b[h>>6] |= 1 << (h & 63)
	}
}

func (b *beginnings) has(four uint32) bool {
	h := start(four)
	return b[h>>6]>>(h&63)&1 != 0
}

// full tells whether so many are in it that it says little.
func (b *beginnings) full() bool {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n > 1<<startBits/8
}

// start is the hash of four bytes.
func start(four uint32) uint32 { return four * 0x9e3779b1 >> (32 - startBits) }

type node struct {
	child uint32 // the first one
	fail  uint32 // the longest proper suffix that is a state
	end   uint32 // the longest text that ends here
	set   uint32 // classes of the children
}

// end is a text of the automaton, and what it stands for.
type end struct {
	length int32
	whole  uint32 // the key that must stand alone, or none
	loose  uint32 // the key that need not, or none
	more   uint32 // regexes that need this text: an index of automaton.more, 0 is none
	next   uint32 // the next shorter text that ends at the same place
	free   uint32 // the same, of those that may end within a word
}

const none = ^uint32(0)

// maxText is the longest text that goes into an automaton. Longer keys are found
// by their beginnings.
const maxText = 64

// entryText is a text for an automaton under construction.
type entryText struct {
	text         string
	whole, loose uint32
	regexes      []uint32
}

// newAutomaton makes an automaton of texts, which it sorts. None is empty, and
// no two are equal.
func newAutomaton(texts []entryText) *automaton {
	if len(texts) == 0 {
		return nil
	}
	slices.SortFunc(texts, func(a, b entryText) int { return strings.Compare(a.text, b.text) })
	a := &automaton{more: make([][]uint32, 1)}
	a.classify(texts)
	a.begin(texts)
	a.grow(texts)
	a.link()
	if a.starts != nil {
		a.behead(texts)
	}
	a.nodes, a.labels = slices.Clip(a.nodes), slices.Clip(a.labels)
	return a
}

// classify gives the bytes that occur most the classes of their own.
func (a *automaton) classify(texts []entryText) {
	var count [256]int
	for _, t := range texts {
		for i := range len(t.text) {
			count[t.text[i]]++
		}
	}
	order := make([]int, 256)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return count[y] - count[x] })
	for place, c := range order {
		a.class[c] = uint8(place % 32)
	}
}

// begin notes what texts begin with.
func (a *automaton) begin(texts []entryText) {
	starts, either := new(beginnings), new(beginnings)
	for _, t := range texts {
		switch {
		case len(t.text) < 3:
			return // nearly everything may be a beginning
		case len(t.text) == 3:
			either = nil
		case either != nil:
			either.add(t.text)
			either.add(t.text[1:])
		}
		starts.add(t.text)
	}
	if starts.full() {
		return
	}
	if a.starts = starts; either != nil && !either.full() {
		a.either = either
	}
}

// behead notes the states of what texts begin with.
func (a *automaton) behead(texts []entryText) {
	h := &a.heads
	h.length = 4
	if a.either == nil && slices.ContainsFunc(texts, func(t entryText) bool { return len(t.text) == 3 }) {
		h.length = 3
	}
	h.mask = ^uint32(0) >> (8 * (4 - h.length))
	for d := 1; d <= h.length; d++ {
		h.first[d] = a.nodes[h.first[d-1]].child // breadth first
	}
	size := bits.Len(uint(2 * (a.nodes[h.first[h.length]].child - h.first[h.length])))
	h.shift, h.at = 32-size, make([]head, 1<<size)
	for _, t := range texts {
		s := uint32(0)
		for i := range h.length {
			s = a.child(s, t.text[i])
		}
		h.put(t.text, s)
	}
}

// span is a state whose children are not made yet: the texts that pass it.
type span struct{ from, to, depth int32 }

func (a *automaton) grow(texts []entryText) {
	queue := []span{{0, int32(len(texts)), 0}}
	a.nodes = append(a.nodes, node{})
	a.labels = append(a.labels, 0)
	a.ends = append(a.ends, end{})
	var kids []span
	for s := 0; s < len(queue); s++ {
		at := queue[s]
		if t := &texts[at.from]; len(t.text) == int(at.depth) {
			a.nodes[s].end = uint32(len(a.ends))
			e := end{length: at.depth, whole: t.whole, loose: t.loose}
			if len(t.regexes) > 0 {
				e.more = uint32(len(a.more))
				a.more = append(a.more, t.regexes)
			}
			a.ends = append(a.ends, e)
			at.from++
		}
		kids = kids[:0]
		for i := at.from; i < at.to; {
			c, from := texts[i].text[at.depth], i
			for i < at.to && texts[i].text[at.depth] == c {
				i++
			}
			kids = append(kids, span{from, i, at.depth + 1})
		}
		label := func(k span) byte { return texts[k.from].text[at.depth] }
		slices.SortFunc(kids, func(x, y span) int { return int(a.class[label(x)]) - int(a.class[label(y)]) })
		a.nodes[s].child = uint32(len(a.nodes))
		for _, k := range kids {
			c := label(k)
			a.nodes[s].set |= 1 << a.class[c]
			a.nodes = append(a.nodes, node{})
			a.labels = append(a.labels, c)
			queue = append(queue, k)
		}
	}
	// One past the last, so that every state's children end where the next one's
	// begin.
	a.nodes = append(a.nodes, node{child: uint32(len(a.nodes))})
}

// child is the state after s by byte c, or 0.
func (a *automaton) child(s uint32, c byte) uint32 {
	n := &a.nodes[s]
	bit := uint32(1) << (a.class[c] & 31)
	if n.set&bit == 0 {
		return 0
	}
	t := n.child + uint32(bits.OnesCount32(n.set&(bit-1)))
	if a.labels[t] == c {
		return t
	}
	if last := a.nodes[s+1].child; last-n.child != uint32(bits.OnesCount32(n.set)) {
		for t := n.child; t < last; t++ {
			if a.labels[t] == c {
				return t
			}
		}
	}
	return 0
}

// step is the state after s by byte c, from shorter suffixes if need be.
func (a *automaton) step(s uint32, c byte) uint32 {
	for s != 0 {
		if t := a.child(s, c); t != 0 {
			return t
		}
		s = a.nodes[s].fail
	}
	return a.root[c]
}

func (a *automaton) link() {
	states := uint32(len(a.nodes) - 1)
	for t := a.nodes[0].child; t < a.nodes[1].child; t++ {
		a.root[a.labels[t]] = t
	}
	for s := range states {
		n := &a.nodes[s]
		for t := n.child; t < a.nodes[s+1].child; t++ {
			if s != 0 {
				a.nodes[t].fail = a.step(n.fail, a.labels[t])
			}
		}
		// A state's suffix is shorter, and so was finished before it.
		shorter := a.nodes[n.fail].end
		if s == 0 {
			continue
		}
		if n.end == 0 {
			n.end = shorter
			continue
		}
		e := &a.ends[n.end]
		e.next, e.free = shorter, shorter
		if shorter != 0 && !a.ends[shorter].loosely() {
			e.free = a.ends[shorter].free
		}
	}
}

func (e *end) loosely() bool { return e.loose != none || e.more != 0 }

// scan calls found for each key that occurs in text and each regex of which a
// required text does; again for every occurrence. Where the texts are folded, text
// is too.
func (a *automaton) scan(text []byte, found func(uint32)) {
	i := 0
	for a.starts != nil && i+4 <= len(text) {
		if i = a.pass(text, i); i+4 > len(text) {
			break
		}
		s := a.heads.find(text[i:])
		if s == 0 {
			i++
			continue
		}
		i = a.follow(s, text, i+a.heads.length, found)
	}
	for s := uint32(0); i < len(text); i++ {
		s = a.step(s, text[i])
		if e := a.nodes[s].end; e != 0 {
			a.report(e, text, i+1, found)
		}
	}
}

// follow goes on from a state that is a head or longer, which text[:i] ends with, until
// only less than a head could have begun. Where that may be is the answer: pass sees
// quicker than the short states whether anything has.
func (a *automaton) follow(s uint32, text []byte, i int, found func(uint32)) int {
	for {
		if e := a.nodes[s].end; e != 0 {
			a.report(e, text, i, found)
		}
		if i == len(text) {
			return i
		}
		t := a.child(s, text[i])
		for t == 0 {
			if s = a.nodes[s].fail; s < a.heads.first[a.heads.length] {
				return i - a.heads.depth(s)
			}
			t = a.child(s, text[i])
		}
		s = t
		i++
	}
}

// pass is the next place at which a text may begin; or one of the last three, of
// which it is not known.
func (a *automaton) pass(text []byte, i int) int {
	if a.either != nil {
		for ; i+8 <= len(text); i += 4 {
			x := binary.LittleEndian.Uint64(text[i:])
			if !a.either.has(uint32(x>>8)) && !a.either.has(uint32(x>>24)) {
				continue
			}
			for at := range 4 {
				if a.starts.has(uint32(x >> (8 * at))) {
					return i + at
				}
			}
		}
	}
	for ; i+8 <= len(text); i += 5 { // eight bytes are five beginnings
		x := binary.LittleEndian.Uint64(text[i:])
		switch {
		case a.starts.has(uint32(x)):
			return i
		case a.starts.has(uint32(x >> 8)):
			return i + 1
		case a.starts.has(uint32(x >> 16)):
			return i + 2
		case a.starts.has(uint32(x >> 24)):
			return i + 3
		case a.starts.has(uint32(x >> 32)):
			return i + 4
		}
	}
	for ; i+4 <= len(text); i++ {
		if a.starts.has(binary.LittleEndian.Uint32(text[i:])) {
			return i
		}
	}
	return min(i, len(text)-1)
}

// report passes on what ends at text[:to]. Within a word only what may end there
// is looked at.
func (a *automaton) report(e uint32, text []byte, to int, found func(uint32)) {
	within := to < len(text) && wordByte(text[to])
	if within && !a.ends[e].loosely() {
		e = a.ends[e].free
	}
	for e != 0 {
		at := &a.ends[e]
		if at.loose != none {
			found(at.loose)
		}
		for _, r := range a.more[at.more] {
			found(r)
		}
		if within {
			e = at.free
			continue
		}
		if from := to - int(at.length); at.whole != none && (from == 0 || !wordByte(text[from-1])) {
			found(at.whole)
		}
		e = at.next
	}
}

func (a *automaton) size() int {
	if a == nil {
		return 0
	}
	n := len(a.nodes)*16 + len(a.labels) + len(a.ends)*24 + len(a.more)*24 + len(a.heads.at)*12 + 2048
	if a.starts != nil {
		n += len(a.starts) * 8
	}
	if a.either != nil {
		n += len(a.either) * 8
	}
	for _, m := range a.more {
		n += 4 * len(m)
	}
	return n
}
