package activation

import (
	"reflect"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// compiled is what it takes work to find out about an entry: its keys, and what
// its decorators say. All else is read from the entry itself, so that an entry
// of which something else has changed needs no work.
type compiled struct {
	layer uint8
	id    uint32   // its place in its layer
	keys  []uint32 // primary, secondary, additional and excluding ones, one after the other
	// How many there are of the first three.
	primary, secondary, additional uint32

	deco    *decorators // nil for most
	content string      // what the decorators leave, where there are any
}

// same tells whether what was compiled of one entry holds for another.
func same(a, b *storage.LoreEntry) bool {
	flag := func(x, y *bool) bool { return x == y || x != nil && y != nil && *x == *y }
	if !slices.Equal(a.Keys, b.Keys) || !slices.Equal(a.SecondaryKeys, b.SecondaryKeys) ||
		!flag(a.CaseSensitive, b.CaseSensitive) || !flag(a.WholeWords, b.WholeWords) {
		return false
	}
	return a.Content == b.Content || !decorated(a.Content) && !decorated(b.Content)
}

func decorated(content string) bool {
	d, _ := undecorate(content)
	return d != nil
}

// layer is entries that were compiled together. An Index has one with nearly all
// of its entries, and a small one with those that have changed since, which is
// made anew with every change. It is immutable.
type layer struct {
	*matcher
	entries []compiled
	slab    []uint32 // all entries' keys
	// Who has a plain key among its primary ones: post[postAt[key]:postAt[key+1]].
	postAt, post []uint32
	checkPost    [][]uint32 // the same of checkers
	macros       []macro
	faults       []keyFault
}

// macro is a key with macros, and the entries that have it as a primary one.
type macro struct {
	key          string
	cased, whole bool
	entries      []uint32
}

type keyFault struct {
	entry     uint32
	key, text string
}

func newLayer(no uint8, entries []*storage.LoreEntry, s Settings) *layer {
	l := &layer{entries: make([]compiled, len(entries))}
	b := newBuilder()
	macros := map[macroKey]uint32{}
	for i, e := range entries {
		l.compile(i, no, e, s, b, macros)
	}
	l.matcher = b.build()
	l.slab = slices.Clip(l.slab)
	// The slab moved while it grew: only now is it known where it is.
	at := uint32(0)
	for i := range l.entries {
		n := uint32(len(l.entries[i].keys))
		l.entries[i].keys = l.slab[at : at+n : at+n]
		at += n
	}
	l.postings()
	return l
}

type macroKey struct {
	key          string
	cased, whole bool
}

func (l *layer) compile(i int, no uint8, e *storage.LoreEntry, s Settings, b *builder, macros map[macroKey]uint32) {
	c := &l.entries[i]
	c.layer, c.id = no, uint32(i)
	if c.deco, c.content = undecorate(e.Content); c.deco == nil {
		c.content = ""
	}
	cased, whole := s.CaseSensitive, s.WholeWords
	if e.CaseSensitive != nil {
		cased = *e.CaseSensitive
	}
	if e.WholeWords != nil {
		whole = *e.WholeWords
	}
	if c.deco != nil && c.deco.whole != nil {
		whole = *c.deco.whole
	}
	from := len(l.slab)
	add := func(keys []string) uint32 {
		before := len(l.slab)
		for _, key := range keys {
			if hasMacro(key) {
				k := macroKey{key, cased, whole}
				m, ok := macros[k]
				if !ok {
					m = uint32(len(l.macros))
					macros[k] = m
					l.macros = append(l.macros, macro{key: key, cased: cased, whole: whole})
				}
				l.slab = append(l.slab, isMacro|m)
				continue
			}
			id, _, fault := b.add(key, cased, whole)
			if fault != "" {
				l.faults = append(l.faults, keyFault{uint32(i), key, fault})
			}
			l.slab = append(l.slab, id)
		}
		return uint32(len(l.slab) - before)
	}
	c.primary, c.secondary = add(e.Keys), add(e.SecondaryKeys)
	if c.deco != nil {
		c.additional = add(c.deco.additional)
		add(c.deco.exclude)
	}
	c.keys = l.slab[from:]
}

// postings notes for each key which entries it may wake.
func (l *layer) postings() {
	l.postAt = make([]uint32, l.plain+1)
	l.checkPost = make([][]uint32, len(l.checkers))
	for i := range l.entries {
		for _, key := range l.entries[i].keys[:l.entries[i].primary] {
			switch {
			case key >= blankKey:
			case key&isChecker != 0:
				l.checkPost[checkerAt(key)] = append(l.checkPost[checkerAt(key)], uint32(i))
			case key&isMacro != 0:
				l.macros[key&^isMacro].entries = append(l.macros[key&^isMacro].entries, uint32(i))
			default:
				l.postAt[key+1]++
			}
		}
	}
	for k := range l.plain {
		l.postAt[k+1] += l.postAt[k]
	}
	l.post = make([]uint32, l.postAt[l.plain])
	next := slices.Clone(l.postAt)
	for i := range l.entries {
		for _, key := range l.entries[i].keys[:l.entries[i].primary] {
			if key&(isChecker|isMacro) == 0 {
				l.post[next[key]] = uint32(i)
				next[key]++
			}
		}
	}
}

// wakes are the entries that have the key among their primary ones.
func (l *layer) wakes(key uint32) []uint32 {
	if key&isChecker != 0 {
		return l.checkPost[checkerAt(key)]
	}
	return l.post[l.postAt[key]:l.postAt[key+1]]
}

func (l *layer) size() int {
	n := l.matcher.size() + len(l.entries)*int(reflect.TypeFor[compiled]().Size()) + 4*(len(l.slab)+len(l.postAt)+len(l.post))
	for _, p := range l.checkPost {
		n += 24 + 4*len(p)
	}
	for i := range l.macros {
		n += int(reflect.TypeFor[macro]().Size()) + len(l.macros[i].key) + 4*len(l.macros[i].entries)
	}
	return n + len(l.faults)*int(reflect.TypeFor[keyFault]().Size())
}
