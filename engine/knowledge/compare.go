package knowledge

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mostPairs is how many contradictions, and how many duplicates, a view shows.
const mostPairs = 60

// pairs are facts that say different things of the same, and those that say the same.
type pairs struct {
	otherwise, same []Pair
	over            map[string]string // what a later fact says otherwise, by that fact
}

// compare finds what contradicts and what repeats. Only facts that share a word are
// looked at.
func compare(list []held) pairs {
	out := pairs{over: map[string]string{}}
	words := make([]facts.Words, len(list))
	has := map[string][]int{}
	for i := range list {
		words[i] = facts.WordsOf(list[i].Text)
		for _, w := range words[i].All {
			has[w] = append(has[w], i)
		}
	}
	for i := range list {
		looked := map[int]bool{}
		for _, w := range words[i].All {
			if len(has[w]) > 100 {
				continue // it says too little
			}
			for _, j := range has[w] {
				if j <= i || looked[j] {
					continue
				}
				looked[j] = true
				out.pair(&list[i], &list[j], words[i], words[j])
			}
		}
	}
	return out
}

func (p *pairs) pair(a, b *held, wa, wb facts.Words) {
	if b.depth < a.depth {
		a, b = b, a
	}
	at := Pair{Older: a.ID, Newer: b.ID}
	switch {
	case facts.Otherwise(wa, wb), facts.Opposed(wa, wb):
		if a.depth < b.depth {
			at.Later = b.ID
			p.over[a.ID] = b.ID
		}
		p.otherwise = append(p.otherwise, at)
	case !together(&a.Fact, &b.Fact):
		return // nobody is told both
	case facts.Contains(wa, wb) || facts.Alike(wa, wb) && share(a.Sources, b.Sources):
		p.same = append(p.same, at)
	}
}

// together tells whether somebody may know both of two facts.
func together(a, b *Fact) bool {
	return a.Everybody || b.Everybody || slices.ContainsFunc(a.Knowers, func(k Knower) bool { return slices.Contains(b.Knowers, k) })
}

func share(a, b []Source) bool {
	return slices.ContainsFunc(a, func(x Source) bool {
		return slices.ContainsFunc(b, func(y Source) bool { return x.Message == y.Message && x.Message != storage.NodeID("") })
	})
}

// into puts the pairs into a view.
func (p *pairs) into(v *View) {
	v.Contradictions, v.Duplicates = p.otherwise[:min(len(p.otherwise), mostPairs)], p.same[:min(len(p.same), mostPairs)]
	for i := range v.Facts {
		if f := &v.Facts[i]; p.over[f.ID] != "" && (f.WhyNot == leftPrompt || f.WhyNot == otherMemories) {
			f.WhyNot = "a later fact says otherwise, so it does not come back"
		}
	}
}
