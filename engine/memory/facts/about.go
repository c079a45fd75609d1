package facts

import (
	"cmp"
	"math"
	"slices"
)

// Bounds of a search: the number of facts of a word that are read, newest first, and the number of
// facts from which on a word is too common to search for. From surelyMet uses on, an index decides
// by itself whether a word is a name. A word that is capitalised only at sentence starts counts as
// a name up to maxBegun uses.
const (
	MaxLooked = 256
	TooCommon = 64
	maxBegun  = 24
	surelyMet = 8
)

// Older is a source of message facts that are too many for an index to hold.
type Older interface {
	// Len returns about how many facts there are.
	Len() int
	// Uses returns in about how many of the facts a word has a capital, and in about how many it
	// has none.
	Uses(word string) (upper, lower int)
	// With returns the facts that have a word, newest first, at most MaxLooked.
	With(word string) []*OldFact
}

// OldFact is one of the Older's facts, made by NewOldFact.
type OldFact struct{ e entry }

// NewOldFact returns a played fact that is in no index; nth is the index of its sentence in the
// message.
func NewOldFact(f Fact, nth int) *OldFact {
	return &OldFact{entry{Fact: f, words: Words{All: WordsOf(f.Text).All}, nth: nth}}
}

// Fact returns the fact, which must not be changed.
func (o *OldFact) Fact() *Fact { return &o.e.Fact }

// Has reports whether a folded word is one of its words.
func (o *OldFact) Has(word string) bool { return slices.Contains(o.e.words.All, word) }

// isName reports whether a word is a name: it is written with a capital, and seldom without.
func isName(upper, lower int) bool { return upper > 0 && lower*4 <= upper }

// isInside reports whether one of some facts has a word with a capital within a sentence.
func isInside(list []*OldFact, word string) bool {
	return slices.ContainsFunc(list[:min(len(list), maxBegun)],
		func(o *OldFact) bool { return WordsOf(o.e.Text).inside[word] })
}

// uses returns how a word is used in an index and in elder, and the number of facts that have it.
func (x *Index) uses(elder Older, w string) (p *posting, upper, lower, all int) {
	if p = x.words[w]; p == nil {
		p = &posting{}
	}
	if all = p.held; elder != nil && (all <= TooCommon || isName(p.upper, p.lower)) {
		upper, lower = elder.Uses(w)
	}
	all += upper + lower
	return p, upper + p.upper, lower + p.lower, all
}

// search is a search for facts under way.
type search struct {
	x      *Index
	elder  Older
	scores map[*entry]*found
	rare   []rareWord
}

type found struct {
	score float64
	names int
	words int
}

// rareWord is a word that is not a name; it only adds to the results of names.
type rareWord struct {
	word   string
	weight float64
}

// About finds the facts about the subjects of a text: those that share a name or two rare words
// with it; facts of messages must share a name. The best match comes first; of equal ones, the
// newer. elder has facts that are not in the index and may be nil. want, if not nil, filters the
// facts; most bounds the result.
func (x *Index) About(elder Older, text string, most int, want func(*Fact) bool) []Hit {
	s := search{x: x, elder: elder, scores: map[*entry]*found{}}
	for _, w := range WordsOf(text).All {
		s.look(w)
	}
	s.lookRare()
	type scored struct {
		e     *entry
		score float64
	}
	var list []scored
	for e, f := range s.scores {
		if (f.names > 0 || f.words > 1 && e.Kind != Played) && (want == nil || want(&e.Fact)) {
			list = append(list, scored{e, f.score})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.e.Depth, a.e.Depth), cmp.Compare(b.e.nth, a.e.nth))
	})
	var hits []Hit
	for _, h := range list[:min(most, len(list))] {
		hits = append(hits, Hit{&h.e.Fact, h.score})
	}
	return hits
}

// look counts the facts that have a word.
func (s *search) look(w string) {
	p, upper, lower, all := s.x.uses(s.elder, w)
	// A word that has a capital only at sentence starts, and often, is no name: "What", "Let".
	name := isName(upper, lower) && (p.inside > 0 || all <= maxBegun || s.elder != nil && isInside(s.elder.With(w), w))
	of := len(s.x.facts)
	if s.elder != nil {
		of += s.elder.Len()
	}
	if all == 0 || !name && (all > TooCommon || ordinary(all, of)) {
		return
	}
	weight := math.Log1p(float64(of) / float64(all))
	looked := 0
	for _, e := range slices.Backward(p.list) {
		if e.gone {
			continue
		}
		if looked++; looked > MaxLooked {
			break
		}
		s.count(e, name, weight)
	}
	switch {
	case s.elder == nil:
	case !name:
		s.rare = append(s.rare, rareWord{w, weight})
	case looked < MaxLooked:
		list := s.elder.With(w)
		for _, o := range list[:min(len(list), MaxLooked-looked)] {
			s.count(&o.e, true, weight)
		}
	}
}

func (s *search) count(e *entry, name bool, weight float64) {
	f := s.scores[e]
	if f == nil {
		f = &found{}
		s.scores[e] = f
	}
	if name {
		f.names++
		f.score += weight
	} else {
		f.words++
	}
	f.score += weight
}

// lookRare adds the rare words to the elder facts that were found by a name.
func (s *search) lookRare() {
	for e := range s.scores {
		if s.x.facts[e.ID] == e {
			continue
		}
		for _, r := range s.rare {
			if slices.Contains(e.words.All, r.word) {
				s.count(e, false, r.weight)
			}
		}
	}
}

// Names returns the names in a text: words that the index or elder, which may be nil, know as
// names, and unknown words that are written like one.
func (x *Index) Names(elder Older, text string) []string {
	asked := WordsOf(text)
	var out []string
	for _, w := range asked.All {
		var upper, lower int
		if p := x.words[w]; p != nil && p.upper+p.lower >= surelyMet {
			upper, lower = p.upper, p.lower
		} else {
			_, upper, lower, _ = x.uses(elder, w)
		}
		if upper+lower > 0 {
			if isName(upper, lower) {
				out = append(out, w)
			}
		} else if asked.names[w] && !asked.lower[w] {
			out = append(out, w)
		}
	}
	return out
}
