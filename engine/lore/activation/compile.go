package activation

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The keys of a book are numbered from 0. Keys that do not depend on the text have negative
// numbers.
const (
	neverMatches int32 = -1 // cannot match
	emptyKey     int32 = -2 // "": cannot match, and counts for a score all the same
	blankKey     int32 = -3 // blanks: nothing is left to look for, so anything matches
)

// book is a Book made ready. It never changes.
type book struct {
	Book
	entries []compiled // in their order
	keys    *keySet    // without the keys that have macros
	macros  []string   // the keys that have macros
}

// compiled is the compiled form of an entry's keys and decorators. Everything else is read from the
// entry itself.
type compiled struct {
	// The number of keys of each kind; those of @@exclude_keys follow.
	primary, secondary, additional int

	deco    *decorators // nil for most
	content string      // the content without its decorators, if it has any
}

// keys returns the lists of an entry's keys, as they were written.
func (c *compiled) keys(e *storage.LoreEntry) [4][]string {
	if c.deco == nil {
		return [4][]string{e.Keys, e.SecondaryKeys}
	}
	return [4][]string{e.Keys, e.SecondaryKeys, c.deco.additional, c.deco.exclude}
}

// keySet is the keys of a book, made ready to be looked for. It never changes.
type keySet struct {
	patterns []*pattern
	ids      [][]int32 // of each entry's keys, one list after the other
	wakes    [][]int32 // for each key, the entries that have it among their primary ones
	blank    []int32   // entries that have a blank one among these
	always   []int32   // patterns that need no text, and so may match any
	folded   finder
	cased    finder
	faults   []keyFault
}

type keyFault struct {
	entry     int
	key, text string
}

func compileBook(b Book, s Settings) *book {
	out := &book{Book: b, entries: make([]compiled, len(b.Entries))}
	for i := range b.Entries {
		c, e := &out.entries[i], &b.Entries[i]
		if c.deco, c.content = parseDecorators(e.Content); c.deco == nil {
			c.content = ""
		}
		c.primary, c.secondary = len(e.Keys), len(e.SecondaryKeys)
		if c.deco != nil {
			c.additional = len(c.deco.additional)
		}
		for _, keys := range c.keys(e) {
			for _, key := range keys {
				if hasMacro(key) {
					out.macros = append(out.macros, key)
				}
			}
		}
	}
	out.keys = out.compileKeys(s, nil)
	return out
}

// compileKeys compiles the keys. expanded are the expanded texts of the keys with macros, in order;
// nil leaves these out.
func (b *book) compileKeys(s Settings, expanded []string) *keySet {
	k := &keySet{ids: make([][]int32, len(b.entries))}
	known := make(map[spec]int32, 2*len(b.entries))
	for i := range b.entries {
		c, e := &b.entries[i], &b.Entries[i]
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
		var ids []int32
		for _, keys := range c.keys(e) {
			ids = slices.Grow(ids, len(keys))
			for _, key := range keys {
				text := key
				if hasMacro(key) {
					if len(expanded) == 0 {
						ids = append(ids, neverMatches)
						continue
					}
					text, expanded = expanded[0], expanded[1:]
				}
				id, fault := k.add(known, text, cased, whole)
				if fault != "" {
					k.faults = append(k.faults, keyFault{i, key, fault})
				}
				ids = append(ids, id)
			}
		}
		k.ids[i] = ids
		for n, id := range ids[:c.primary] {
			switch {
			case slices.Contains(ids[:n], id):
			case id >= 0:
				k.wakes[id] = append(k.wakes[id], int32(i))
			case id == blankKey:
				k.blank = append(k.blank, int32(i))
			}
		}
	}
	k.cased.ready()
	k.folded.ready()
	return k
}

// add returns the number of a key; equal ones have the same.
func (k *keySet) add(known map[spec]int32, key string, cased, whole bool) (id int32, fault string) {
	sp, ok, fault := parseKey(key, cased, whole)
	switch {
	case !ok && key == "":
		return emptyKey, ""
	case !ok:
		return blankKey, ""
	case fault != "":
		return neverMatches, fault
	}
	if id, ok := known[sp]; ok {
		return id, ""
	}
	p, fault := newPattern(sp)
	if fault != "" {
		return neverMatches, fault
	}
	id = int32(len(k.patterns))
	known[sp] = id
	k.patterns, k.wakes = append(k.patterns, p), append(k.wakes, nil)
	switch {
	case !p.tried && p.cased:
		k.cased.add(p.text, p.whole, id)
	case !p.tried:
		k.folded.add(p.text, p.whole, id)
	case p.needs == nil:
		k.always = append(k.always, id)
	default:
		for _, text := range p.needs[0] {
			k.folded.add(text, false, id)
		}
	}
	return id, ""
}

// find returns the keys that occur in a text, and the tried keys for which a needed text occurs,
// each once.
func (k *keySet) find(text string) []int32 {
	var hits []int32
	seen := map[int32]bool{}
	found := func(id int32) {
		if !seen[id] {
			seen[id] = true
			hits = append(hits, id)
		}
	}
	k.cased.find(text, found)
	k.folded.find(fold(text), found)
	return hits
}
