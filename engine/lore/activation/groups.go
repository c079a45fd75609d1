package activation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// group is an inclusion group in a round: only one of its members may fire.
type group struct {
	name    string
	members []*cand
	sticky  bool // settled by members that stay
}

// groups leaves of the hits what inclusion groups let through, in their order.
func (r *run) groups(hits []*cand) []*cand {
	list := groupsOf(hits)
	if len(list) == 0 {
		return hits
	}
	for i := range list {
		r.asked += len(list[i].members)
	}
	gone := map[*cand]bool{}
	lose := func(g *group, c *cand, why string) {
		gone[c] = true
		if crosses(list, c) {
			why += "; it shares two groups with another entry, so other programs may drop one more entry"
		}
		c.verdict, c.why, c.group = LostGroup, why, why
	}
	left := func(g *group) []*cand {
		return slices.DeleteFunc(slices.Clone(g.members), func(c *cand) bool { return gone[c] })
	}
	for i := range list {
		g := &list[i]
		at := slices.IndexFunc(g.members, func(c *cand) bool { return c.sticky })
		if g.sticky = at >= 0; !g.sticky {
			continue
		}
		for _, c := range left(g) {
			// Members that rest or wait were barred before they came here.
			if !c.sticky {
				lose(g, c, fmt.Sprintf("“%s” of the group “%s” stays active", nameOf(g.members[at].it), g.name))
			}
		}
	}
	for i := range list {
		if g := &list[i]; !g.sticky {
			r.score(g, left(g), lose)
		}
	}
	for i := range list {
		if g := &list[i]; !g.sticky {
			r.choose(g, left(g), lose)
		}
	}
	return slices.DeleteFunc(hits, func(c *cand) bool { return gone[c] })
}

// groupsOf are the groups of hits: those named by a number first, from the least,
// then the others in the order in which they are first named, which is the order
// of names in an object of JavaScript.
func groupsOf(hits []*cand) []group {
	var list []group
	index := map[string]int{}
	for _, c := range hits {
		if c.it.e.Group == "" {
			continue
		}
		for i, name := range strings.Split(c.it.e.Group, ",") {
			if i > 0 {
				name = strings.TrimLeftFunc(name, space)
			}
			if name == "" {
				continue
			}
			at, ok := index[name]
			if !ok {
				at = len(list)
				index[name] = at
				list = append(list, group{name: name})
			}
			if g := &list[at]; !slices.Contains(g.members[max(0, len(g.members)-1):], c) {
				g.members = append(g.members, c)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b group) int {
		x, okX := number(a.name)
		y, okY := number(b.name)
		if okX && okY {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(btoi(okY), btoi(okX))
	})
	return list
}

// number reads a name that is a number as JavaScript writes it.
func number(name string) (uint64, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	return n, err == nil && strconv.FormatUint(n, 10) == name && n < 1<<32-1
}

// crossed is how many members of a group are looked at for one that is in another
// group with an entry too.
const crossed = 64

// crosses reports whether an entry shares two groups with another one.
func crosses(list []group, c *cand) bool {
	if !strings.Contains(c.it.e.Group, ",") {
		return false
	}
	met := map[*cand]bool{}
	for i := range list {
		members := list[i].members[:min(len(list[i].members), crossed)]
		if !slices.Contains(members, c) {
			continue
		}
		for _, m := range members {
			if m != c && met[m] {
				return true
			}
			met[m] = true
		}
	}
	return false
}

type loser func(*group, *cand, string)

// score drops members of which fewer keys matched than of the best.
func (r *run) score(g *group, members []*cand, lose loser) {
	scored := func(c *cand) bool {
		if own := c.it.e.UseGroupScoring; own != nil {
			return *own
		}
		return r.set.GroupScoring
	}
	if len(members) < 2 || !slices.ContainsFunc(members, scored) {
		return
	}
	scores := make([]int, len(members))
	for i, c := range members {
		scores[i] = r.keysMatched(c.it)
	}
	best := slices.Max(scores)
	for i, c := range members {
		if scored(c) && scores[i] < best {
			lose(g, c, fmt.Sprintf("%d of its keys matched, of another in the group “%s” %d", scores[i], g.name, best))
		}
	}
}

// keysMatched is an entry's score: its primary keys that match, and the secondary
// ones where they ask for more, even of an entry that is not selective.
func (r *run) keysMatched(it *item) int {
	v := r.view(it)
	count := func(from, n int) (hits int) {
		for i := from; i < from+n; i++ {
			if _, ok := r.match(it, v, i); ok || r.keyID(it, i) == emptyKey {
				hits++
			}
		}
		return hits
	}
	if it.c.primary == 0 {
		return 0
	}
	n := count(0, it.c.primary)
	second := count(it.c.primary, it.c.secondary)
	if it.e.Logic == storage.AndAny || it.e.Logic == storage.AndAll && second == it.c.secondary {
		n += second
	}
	return n
}

// choose leaves one member: none if one of the group is active already, the one of
// the highest order among those that override, or else one by weight.
func (r *run) choose(g *group, members []*cand, lose loser) {
	// Only an entry whose whole group is this name counts as one of it here.
	if at := slices.IndexFunc(r.active, func(c *cand) bool { return c.it.e.Group == g.name }); at >= 0 {
		for _, c := range members {
			lose(g, c, fmt.Sprintf("“%s” of the group “%s” is already active", nameOf(r.active[at].it), g.name))
		}
		return
	}
	if len(members) < 2 {
		return
	}
	var winner *cand
	var how string
	for _, c := range members {
		if c.it.e.GroupOverride && (winner == nil || c.it.e.Order > winner.it.e.Order) {
			winner, how = c, "it has the highest order of the prioritized entries"
		}
	}
	if winner == nil {
		winner, how = r.roll(members)
	}
	winner.group = fmt.Sprintf("won the group “%s”: %s", g.name, how)
	for _, c := range members {
		if c != winner {
			lose(g, c, fmt.Sprintf("“%s” won the group “%s”: %s", nameOf(winner.it), g.name, how))
		}
	}
}

// roll draws a member by weight.
func (r *run) roll(members []*cand) (*cand, string) {
	total := 0.0
	for _, c := range members {
		total += weight(c)
	}
	roll := r.in.Random() * total
	sum := 0.0
	winner := members[len(members)-1]
	for _, c := range members {
		if sum += weight(c); roll <= sum {
			winner = c
			break
		}
	}
	return winner, fmt.Sprintf("it rolled %s of %s", short(roll), short(total))
}

func weight(c *cand) float64 {
	if w := c.it.e.GroupWeight; w > 0 && w < 1e12 {
		return w
	}
	return 0
}

// nameOf is what to call an entry: its name, else its first key.
func nameOf(it *item) string {
	keys := keysOf(it.e.Keys)
	if len(keys) == 0 {
		keys = []string{"an entry without a name"}
	}
	return cmp.Or(it.e.Name, keys[0])
}
