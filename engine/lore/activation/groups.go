package activation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// group is an inclusion group in a round: only one of its members may trigger.
type group struct {
	name    string
	members []*candidate
	sticky  bool // settled by members that stay
}

// groups returns the hits that inclusion groups let through, in their order.
func (r *run) groups(hits []*candidate) []*candidate {
	list := groupsOf(hits)
	if len(list) == 0 {
		return hits
	}
	for i := range list {
		r.asked += len(list[i].members)
	}
	gone := map[*candidate]bool{}
	lose := func(g *group, c *candidate, why string) {
		gone[c] = true
		if sharesTwoGroups(list, c) {
			why += "; it shares two groups with another entry, so other programs may drop one more entry"
		}
		c.verdict, c.why, c.group = LostGroup, why, why
	}
	left := func(g *group) []*candidate {
		return slices.DeleteFunc(slices.Clone(g.members), func(c *candidate) bool { return gone[c] })
	}
	for i := range list {
		g := &list[i]
		at := slices.IndexFunc(g.members, func(c *candidate) bool { return c.sticky })
		if g.sticky = at >= 0; !g.sticky {
			continue
		}
		for _, c := range left(g) {
			// Members on cooldown or delay were blocked before.
			if !c.sticky {
				lose(g, c, fmt.Sprintf("“%s” of the group “%s” stays active", nameOf(g.members[at].item), g.name))
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
	return slices.DeleteFunc(hits, func(c *candidate) bool { return gone[c] })
}

// groupsOf returns the groups of hits. Groups named by a number come first, in ascending order,
// then the others in the order of their first mention. This is the order of names in a JavaScript
// object.
func groupsOf(hits []*candidate) []group {
	var list []group
	index := map[string]int{}
	for _, c := range hits {
		if c.item.e.Group == "" {
			continue
		}
		for i, name := range strings.Split(c.item.e.Group, ",") {
			if i > 0 {
				name = strings.TrimLeftFunc(name, isSpace)
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

// maxCrossChecked is the maximum number of members of a group that are checked for a second group
// that they share with an entry.
const maxCrossChecked = 64

// sharesTwoGroups reports whether an entry shares two groups with another one.
func sharesTwoGroups(list []group, c *candidate) bool {
	if !strings.Contains(c.item.e.Group, ",") {
		return false
	}
	met := map[*candidate]bool{}
	for i := range list {
		members := list[i].members[:min(len(list[i].members), maxCrossChecked)]
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

type loser func(*group, *candidate, string)

// score drops members with fewer matching keys than the best one.
func (r *run) score(g *group, members []*candidate, lose loser) {
	scored := func(c *candidate) bool {
		if own := c.item.e.UseGroupScoring; own != nil {
			return *own
		}
		return r.set.GroupScoring
	}
	if len(members) < 2 || !slices.ContainsFunc(members, scored) {
		return
	}
	scores := make([]int, len(members))
	for i, c := range members {
		scores[i] = r.countMatches(c.item)
	}
	best := slices.Max(scores)
	for i, c := range members {
		if scored(c) && scores[i] < best {
			lose(g, c, fmt.Sprintf("%d of its keys matched, of another in the group “%s” %d", scores[i], g.name, best))
		}
	}
}

// countMatches returns an entry's score: its matching primary keys, and the secondary ones if its
// logic asks for more, even if the entry is not selective.
func (r *run) countMatches(it *item) int {
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

// choose determines the winning member and calls lose for the others: none if a member is active
// already, else the one of the highest order among those that override, else one by weight.
func (r *run) choose(g *group, members []*candidate, lose loser) {
	// Only an entry whose whole group is this name counts as a member here.
	if at := slices.IndexFunc(r.active, func(c *candidate) bool { return c.item.e.Group == g.name }); at >= 0 {
		for _, c := range members {
			lose(g, c, fmt.Sprintf("“%s” of the group “%s” is already active", nameOf(r.active[at].item), g.name))
		}
		return
	}
	if len(members) < 2 {
		return
	}
	var winner *candidate
	var how string
	for _, c := range members {
		if c.item.e.GroupOverride && (winner == nil || c.item.e.Order > winner.item.e.Order) {
			winner, how = c, "it has the highest order of the prioritized entries"
		}
	}
	if winner == nil {
		winner, how = r.roll(members)
	}
	winner.group = fmt.Sprintf("won the group “%s”: %s", g.name, how)
	for _, c := range members {
		if c != winner {
			lose(g, c, fmt.Sprintf("“%s” won the group “%s”: %s", nameOf(winner.item), g.name, how))
		}
	}
}

// roll draws a member by weight.
func (r *run) roll(members []*candidate) (*candidate, string) {
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
	return winner, fmt.Sprintf("it rolled %s of %s", formatNumber(roll), formatNumber(total))
}

func weight(c *candidate) float64 {
	if w := c.item.e.GroupWeight; w > 0 && w < 1e12 {
		return w
	}
	return 0
}

// nameOf returns the name of an entry for display: its name, or its first key.
func nameOf(it *item) string {
	keys := keysOf(it.e.Keys)
	if len(keys) == 0 {
		keys = []string{"an entry without a name"}
	}
	return cmp.Or(it.e.Name, keys[0])
}
