package facts

import (
	"slices"
	"strings"
)

// Index holds facts. The zero value is empty and ready. It is not safe for concurrent
// use.
type Index struct {
	facts map[string]*entry
	words map[string]*posting
	gone  int // entries in postings that are no longer held
	put   int // counts all insertions
}

// entry is a fact with its words.
type entry struct {
	Fact
	words Words // not set for played facts: there are too many
	gone  bool
	nth   int // its number in the order of insertion
}

// posting holds the facts that have a word, in order of insertion, and how often it was capitalised
// or not.
type posting struct {
	list         []*entry
	upper, lower int
	inside       int // of upper, those within a sentence
	held         int // of list, those that were not dropped
}

// said returns the words of a fact. It computes them if they are not stored.
func (e *entry) said() Words {
	if e.words.All != nil {
		return e.words
	}
	return WordsOf(e.Subject + "\n" + e.Text)
}

// Len returns the number of facts.
func (x *Index) Len() int { return len(x.facts) }

// Get returns a fact, or nil. The caller must not change it.
func (x *Index) Get(id string) *Fact {
	if e := x.facts[id]; e != nil {
		return &e.Fact
	}
	return nil
}

// All gives every fact, in no order.
func (x *Index) All(yield func(*Fact) bool) {
	for _, e := range x.facts {
		if !yield(&e.Fact) {
			return
		}
	}
}

// Put adds a fact, in place of one with its ID.
func (x *Index) Put(f Fact) {
	if x.facts == nil {
		x.facts, x.words = map[string]*entry{}, map[string]*posting{}
	}
	x.Drop(f.ID)
	x.put++
	e := &entry{Fact: f, nth: x.put}
	words := e.said()
	if f.Kind != Played {
		e.words = words
	}
	x.facts[f.ID] = e
	for _, w := range words.All {
		p := x.words[w]
		if p == nil {
			p = &posting{}
			x.words[strings.Clone(w)] = p
		}
		p.list, p.held = append(p.list, e), p.held+1
		if words.names[w] {
			p.upper++
		}
		if words.inside[w] {
			p.inside++
		}
		if words.lower[w] {
			p.lower++
		}
	}
}

// Drop removes a fact if the index has it.
func (x *Index) Drop(id string) {
	e := x.facts[id]
	if e == nil {
		return
	}
	delete(x.facts, id)
	e.gone = true
	words := e.said()
	for _, w := range words.All {
		p := x.words[w]
		p.held--
		if words.names[w] {
			p.upper--
		}
		if words.inside[w] {
			p.inside--
		}
		if words.lower[w] {
			p.lower--
		}
	}
	if x.gone++; x.gone > len(x.facts)+64 {
		x.sweep()
	}
}

// sweep removes dropped facts from the postings. It runs so rarely that its cost is a fraction of
// the cost of the drops.
func (x *Index) sweep() {
	x.gone = 0
	for w, p := range x.words {
		if p.list = slices.DeleteFunc(p.list, func(e *entry) bool { return e.gone }); len(p.list) == 0 {
			delete(x.words, w)
		}
	}
}
