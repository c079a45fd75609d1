package plist

// Change is the kind of a hunk.
type Change string

// The changes.
const (
	Kept    Change = "kept"
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// Hunk is a fact of one text and its counterpart in another. Before is "" for an added fact, After
// for a removed one. Head is set for the type and name of an entry.
type Hunk struct {
	Kind   Change `json:"kind"`
	Before string `json:"before"`
	After  string `json:"after"`
	Head   bool   `json:"head"`
}

// comparison is two contents in pieces.
type comparison struct{ a, b splitting }

// Diff compares two contents by fact, in the order of the first; new facts come after the fact that
// they follow. Facts that only moved count as kept. Contents of different forms are one changed
// fact.
func Diff(before, after string) []Hunk {
	c := comparison{split(before), split(after)}
	formless := len(c.a.pieces) == 0 && len(c.b.pieces) == 0
	if c.a.list != c.b.list && len(c.a.pieces) > 0 && len(c.b.pieces) > 0 || formless && before != after {
		return []Hunk{{Kind: Changed, Before: before, After: after}}
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
			for last+1 < len(to) && to[last+1] < 0 { // removed facts come before new ones
				last++
			}
			follow[last+1] = append(follow[last+1], j)
		}
	}
	out := make([]Hunk, 0, len(to))
	fresh := func(list []int) {
		for _, j := range list {
			out = append(out, Hunk{Kind: Added, After: c.b.pieces[j].text, Head: c.b.pieces[j].head})
		}
	}
	fresh(follow[0])
	for i, j := range to {
		h := Hunk{Kind: Removed, Before: c.a.pieces[i].text, Head: c.a.pieces[i].head}
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

// pair returns for each piece before the matching one after, -1 for none: the heads, equal pieces,
// pieces with the same words before their details, and pieces in the same position.
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
	c.pairHeads(to, taken)
	c.pairGaps(to, taken)
	return to
}

// pairHeads pairs facts that have the same words before their details.
func (c *comparison) pairHeads(to []int, taken []bool) {
	free := map[string][]int{}
	for j, p := range c.b.pieces {
		if h := beforeDetails(p.text); !taken[j] && !p.head && h != "" {
			free[h] = append(free[h], j)
		}
	}
	for i, p := range c.a.pieces {
		if to[i] >= 0 || p.head {
			continue
		}
		if list := free[beforeDetails(p.text)]; len(list) > 0 {
			to[i], taken[list[0]] = list[0], true
			free[beforeDetails(p.text)] = list[1:]
		}
	}
}

// pairGaps pairs facts that are left between the same neighbours, in their order, where
// there are as many before as after.
func (c *comparison) pairGaps(to []int, taken []bool) {
	next := 0 // in b, behind the last pair
	for i := 0; i < len(to); {
		if to[i] >= 0 {
			next = to[i] + 1
			i++
			continue
		}
		from, end := i, next
		for i < len(to) && to[i] < 0 {
			i++
		}
		for end < len(taken) && !taken[end] {
			end++
		}
		if follows := i == len(to) && end == len(taken) || i < len(to) && end == to[i]; follows && end-next == i-from {
			for k := range i - from {
				to[from+k], taken[next+k] = next+k, true
			}
		}
	}
}

// beforeDetails returns the normalised text before the details of a fact, "" for one without
// details.
func beforeDetails(fact string) string {
	for i := 0; i < len(fact); {
		kind, size := token(fact, i)
		if kind == opens {
			return factKey(fact[:i])
		}
		i += size
	}
	return ""
}
