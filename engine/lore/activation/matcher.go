package activation

import (
	"slices"
	"strings"
)

// Keys are numbered per matcher: plain ones from 0, those of checkers from
// isChecker, with room for the number of a set of texts that one needs.
const (
	isChecker uint32 = 1 << 31
	isMacro   uint32 = 1 << 30  // its text is known only when it is activated
	deadKey          = none     // cannot match
	emptyKey         = none - 1 // "": cannot match, and counts for a score all the same
	blankKey         = none - 2 // blanks: nothing is left to look for, so anything matches
	setMask   uint32 = maxSets - 1
)

func checkerID(i int) uint32 { return isChecker | uint32(i*maxSets) }

// checkerAt is which checker a number is of.
func checkerAt(id uint32) uint32 { return id &^ isChecker / maxSets }

// matcher finds keys in texts: all plain ones, and the texts that regexes need,
// in one pass. It is immutable.
type matcher struct {
	folded   *automaton
	raw      *automaton // nil unless some keys ask for case
	plain    int
	checkers []*checker
	blind    []uint32 // checkers that need no text, and so may match any
}

// builder collects keys, each once, for a matcher.
type builder struct {
	plain    map[spec]uint32
	checkers map[spec]uint32
	list     []*checker
}

func newBuilder() *builder {
	return &builder{plain: map[spec]uint32{}, checkers: map[spec]uint32{}}
}

// add is the number of a key. ok is false of one that is empty or blank.
func (b *builder) add(key string, cased, whole bool) (id uint32, ok bool, fault string) {
	sp, ok, fault := parseKey(key, cased, whole)
	if !ok && key == "" {
		return emptyKey, false, ""
	} else if !ok {
		return blankKey, false, ""
	}
	if !ok || fault != "" {
		return deadKey, ok, fault
	}
	if !sp.regex && len(sp.text) <= maxText && !strings.ContainsAny(sp.text, borders) {
		id, seen := b.plain[sp]
		if !seen {
			id = uint32(len(b.plain))
			b.plain[sp] = id
		}
		return id, true, ""
	}
	id, seen := b.checkers[sp]
	if seen {
		return id, true, ""
	}
	c, fault := newChecker(sp)
	if fault != "" {
		return deadKey, true, fault
	}
	id = checkerID(len(b.list))
	b.checkers[sp] = id
	b.list = append(b.list, c)
	return id, true, ""
}

// borders are what stands between two segments, or two contents within one: no text
// of the automaton has it, since it sees each by itself.
const borders = "\n\x01"

func (b *builder) build() *matcher {
	m := &matcher{plain: len(b.plain), checkers: b.list}
	lists := [2][]entryText{}
	index := [2]map[string]int{{}, {}}
	text := func(cased bool, s string) *entryText {
		which := 0
		if cased {
			which = 1
		}
		i, ok := index[which][s]
		if !ok {
			i = len(lists[which])
			index[which][s] = i
			lists[which] = append(lists[which], entryText{text: s, whole: none, loose: none})
		}
		return &lists[which][i]
	}
	for sp, id := range b.plain {
		if t := text(sp.cased, sp.text); sp.whole {
			t.whole = id
		} else {
			t.loose = id
		}
	}
	for i, c := range b.list {
		id := checkerID(i)
		if c.needs == nil {
			m.blind = append(m.blind, id)
		}
		for n, set := range c.needs {
			for _, need := range set {
				t := text(false, need)
				t.regexes = append(t.regexes, id|uint32(n))
			}
		}
	}
	m.folded, m.raw = newAutomaton(lists[0]), newAutomaton(lists[1])
	return m
}

// empty tells whether the matcher has no key that a text could hold.
func (m *matcher) empty() bool { return m.folded == nil && m.raw == nil }

func (m *matcher) checker(id uint32) *checker { return m.checkers[checkerAt(id)] }

// marks remembers which keys of a matcher were seen in a text, without being
// cleared for the next one.
type marks struct {
	at  map[uint32]struct{}
	buf []byte
}

// scan is which keys occur in a part, and of which sets of texts that checkers need
// there is one.
func (m *matcher) scan(p *part, seen *marks) []uint32 {
	if len(seen.at) > 1<<10 {
		seen.at = nil // clearing a large map costs what it once held
	}
	clear(seen.at)
	if seen.at == nil {
		seen.at = map[uint32]struct{}{}
	}
	var hits []uint32
	found := func(id uint32) {
		if _, ok := seen.at[id]; !ok {
			seen.at[id] = struct{}{}
			hits = append(hits, id)
		}
	}
	text := p.appendReady(seen.buf[:0])
	if m.raw != nil {
		m.raw.scan(text, found)
	}
	if m.folded != nil {
		if !lowerASCII(text) {
			text = appendFold(seen.buf[:0], p.ready())
		}
		m.folded.scan(text, found)
	}
	seen.buf = text
	if cap(seen.buf) > 1<<18 {
		seen.buf = nil
	}
	return slices.Clip(hits)
}

// place is where a key's state is in a table of all of the matcher's.
func (m *matcher) place(id uint32) int {
	if id&isChecker != 0 {
		return m.plain + int(checkerAt(id))
	}
	return int(id)
}

func (m *matcher) size() int {
	n := m.folded.size() + m.raw.size() + 4*len(m.blind)
	for _, c := range m.checkers {
		n += 160 + len(c.text)
		for _, set := range c.needs {
			for _, need := range set {
				n += 24 + len(need)
			}
		}
	}
	return n
}
