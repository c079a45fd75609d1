package plist

import (
	"cmp"
	"slices"
)

// Change is what became of a fact.
type Change string

// The changes.
const (
	Kept    Change = "kept"
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// Hunk is a fact of one text, and what stands for it in another. Before is "" for
// an added one, After for a removed one. After may be written anew before Apply
// takes it. Head is set where it is the type and name of an entry.
type Hunk struct {
	Kind   Change `json:"kind"`
	Before string `json:"before"`
	After  string `json:"after"`
	Head   bool   `json:"head"`

	from  *comparison // nil for one that Diff did not make
	i, j  int         // places of the pieces, -1 for none
	whole bool        // the contents are of different forms
}

// comparison is what the hunks of one Diff have in common.
type comparison struct {
	before, after string
	a, b          splitting
}

// Diff compares two contents by fact, in the order of the first; what is new
// stands after what it follows. Facts that only moved are kept. Contents of
// different forms are one changed fact.
func Diff(before, after string) []Hunk {
	c := &comparison{before: before, after: after, a: split(before), b: split(after)}
	formless := len(c.a.pieces) == 0 && len(c.b.pieces) == 0
	if c.a.list != c.b.list && len(c.a.pieces) > 0 && len(c.b.pieces) > 0 || formless && before != after {
		return []Hunk{{Kind: Changed, Before: before, After: after, from: c, whole: true}}
	}
	to := c.pair()
	back := make([]int, len(c.b.pieces)) // of each in b, its pair in a
	for j := range back {
		back[j] = -1
	}
	for i, j := range to {
		if j >= 0 {
			back[j] = i
		}
	}
	follow := make([][]int, len(to)+1) // new ones, by the place in a that they follow, plus one
	last := -1
	for j, i := range back {
		if i >= 0 {
			last = i
		} else {
			for last+1 < len(to) && to[last+1] < 0 { // what is gone comes before what is new
				last++
			}
			follow[last+1] = append(follow[last+1], j)
		}
	}
	out := make([]Hunk, 0, len(to))
	fresh := func(list []int) {
		for _, j := range list {
			out = append(out, Hunk{Kind: Added, After: c.b.pieces[j].text, Head: c.b.pieces[j].head, from: c, i: -1, j: j})
		}
	}
	fresh(follow[0])
	for i, j := range to {
		h := Hunk{Kind: Removed, Before: c.a.pieces[i].text, Head: c.a.pieces[i].head, from: c, i: i, j: j}
		if j >= 0 {
			h.Kind, h.After = Changed, c.b.pieces[j].text
			if SameFact(h.Before, h.After) && (!h.Head || h.Before == h.After) {
				h.Kind = Kept
			}
		}
		out = append(out, h)
		fresh(follow[i+1])
	}
	return out
}

// Bounds of what is paired by likeness.
const (
	alike     = 0.5
	maxPaired = 150 // facts on each side
)

// pair finds for each piece before the one after, -1 for none: heads first, then
// what is the same, then what is most alike.
func (c *comparison) pair() []int {
	a, b := c.a.pieces, c.b.pieces
	to := make([]int, len(a))
	places := map[string][]int{}
	for j := range b {
		if !b[j].head {
			k := factKey(b[j].text)
			places[k] = append(places[k], j)
		}
	}
	taken := make([]bool, len(b))
	for i := range a {
		to[i] = -1
		if a[i].head {
			if len(b) > 0 && b[0].head {
				to[i], taken[0] = 0, true
			}
			continue
		}
		k := factKey(a[i].text)
		if list := places[k]; len(list) > 0 {
			to[i], taken[list[0]] = list[0], true
			places[k] = list[1:]
		}
	}
	var left, right []int
	for i, j := range to {
		if j < 0 && !a[i].head && len(left) < maxPaired {
			left = append(left, i)
		}
	}
	for j := range b {
		if !taken[j] && !b[j].head && len(right) < maxPaired {
			right = append(right, j)
		}
	}
	for _, p := range likePairs(a, b, left, right) {
		if to[p.i] < 0 && !taken[p.j] {
			to[p.i], taken[p.j] = p.j, true
		}
	}
	return to
}

type likePair struct {
	i, j  int
	share float64
}

// likePairs lists the pairs that are alike, the most alike first.
func likePairs(a, b []piece, left, right []int) []likePair {
	ga := make([]outline, len(left))
	for k, i := range left {
		ga[k] = outlineOf(a[i].text)
	}
	gb := make([]outline, len(right))
	for k, j := range right {
		gb[k] = outlineOf(b[j].text)
	}
	var out []likePair
	for x, i := range left {
		for y, j := range right {
			if share := ga[x].like(gb[y]); share >= alike {
				out = append(out, likePair{i, j, share})
			}
		}
	}
	slices.SortStableFunc(out, func(p, q likePair) int {
		return cmp.Or(cmp.Compare(q.share, p.share), cmp.Compare(distance(p), distance(q)))
	})
	return out
}

func distance(p likePair) int { return max(p.i-p.j, p.j-p.i) }

// outline is what facts are compared by.
type outline struct {
	grams map[[3]rune]int
	head  string // what stands before the details
}

func outlineOf(fact string) outline {
	o := outline{grams: trigrams(fact)}
	for i := 0; i < len(fact); {
		kind, size := token(fact, i)
		if kind == opens {
			o.head = factKey(fact[:i])
			break
		}
		i += size
	}
	return o
}

// like: two facts with the same words before their details are of one thing.
func (o outline) like(p outline) float64 {
	share := shareOf(o.grams, p.grams)
	if o.head != "" && o.head == p.head {
		share = 0.75 + share/4
	}
	return share
}
