package activation

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// check is a checker looking for a key of an entry.
type check struct {
	r   *run
	it  *item
	key int
	c   *checker
	v   view
}

func (k *check) all() uint8 { return 1<<len(k.c.needs) - 1 }

// inUnit looks at each unit that was not looked at yet and has all that the
// checker needs.
func (k *check) inUnit(st *keyState) (place, bool) {
	if k.c.needs == nil {
		for ; st.next < len(k.r.places); st.next++ {
			k.unit(st, k.r.places[st.next])
		}
		return st.place(k.v)
	}
	for ; st.next < len(st.list); st.next++ {
		if at := st.list[st.next]; at.sets == k.all() {
			k.unit(st, at.place)
		}
	}
	return st.place(k.v)
}

func (k *check) unit(st *keyState, at place) {
	v := marked
	if at.kind == inEntry && at.part > 0 {
		v = bare // only a new line is before it
	}
	if k.find(k.r.partAt(at), v) {
		st.note(at)
	}
}

// inRegion looks at units by themselves, and then at what is around them as far as
// a match can reach. Whatever matches there matches in all of the text, because
// the regex asks for nothing that is not there.
func (k *check) inRegion(st *keyState) (place, bool) {
	if at, ok := k.inUnit(st); ok || st.sets != k.all() {
		return at, ok
	}
	u := k.r.unitsOf(k.v)
	type unit struct {
		at, list int
	}
	var list []unit
	for i, p := range st.list {
		if at := u.place(p.place); at >= 0 {
			list = append(list, unit{at, i})
		}
	}
	slices.SortFunc(list, func(a, b unit) int { return a.at - b.at })
	for i, first := range list {
		// Of the units of a match that have something it needs, let this be the first.
		high, ok := k.far(u, first.at, 1)
		if !ok {
			high = u.n
		}
		sets := uint8(0)
		for _, p := range list[i:] {
			if p.at <= high {
				sets |= st.list[p.list].sets
			}
			if sets == k.all() || p.at > high {
				break
			}
		}
		if sets != k.all() {
			continue
		}
		low, also := k.far(u, first.at, -1)
		if !ok || !also {
			return k.inWindow(st)
		}
		if low < high && k.find(k.r.region(u, low, high), bare) {
			return st.list[first.list].place, true
		}
	}
	return place{}, false
}

// maxRegion is how far a match may have to be followed before it is cheaper to
// look at the whole text.
const maxRegion = 32

// far is the last unit that a match can reach from another in a direction. It is
// not ok if that is too far.
func (k *check) far(u units, at, step int) (int, bool) {
	left := k.c.crossings
	for range maxRegion {
		if left == 0 || at+step < 0 || at+step >= u.n {
			return at, true
		}
		at += step
		if !k.swallowed(u.at(at)) {
			left--
		}
	}
	return at, false
}

// swallowed tells whether a run of one of the checker's sets can go on over all of
// a unit.
func (k *check) swallowed(at place) bool {
	p := k.r.partAt(at)
	f := p.memo[k.c]
	if !f.known(swallow) {
		yes := slices.ContainsFunc(k.c.swallows, func(in func(rune) bool) bool {
			return strings.IndexFunc(p.ready(), func(r rune) bool { return !in(r) }) < 0
		})
		f |= found(swallow, yes)
		p.remember(k.c, f)
	}
	return f.matched(swallow)
}

func (k *check) inWindow(st *keyState) (place, bool) {
	if st.sets != k.all() {
		return place{}, false
	}
	u := k.r.unitsOf(k.v)
	if !k.find(k.r.region(u, 0, u.n-1), bare) {
		return place{}, false
	}
	return place{kind: inSeveral}, true
}

// find looks at a text, unless that was done before. What was cut off counts as
// no match and is not tried again.
func (k *check) find(p *part, v variant) bool {
	f := p.memo[k.c]
	if !f.known(v) {
		if text, cut := k.r.cut[k.c]; cut {
			// One text was enough of it: a hundred of them would be too much.
			k.fault(text)
			return false
		}
		if k.r.spent > regexBudget {
			k.fault(fmt.Sprintf("all regexes together took more than %v: this one was not fully checked", regexBudget))
			return false
		}
		start := time.Now()
		yes, err := k.c.find(p.variant(v))
		k.r.spent += time.Since(start)
		f |= found(v, yes && err == nil)
		if err != nil {
			f |= wasCut
			k.r.cut[k.c] = err.Error()
		}
		p.remember(k.c, f)
	}
	if f&wasCut != 0 {
		text := k.r.cut[k.c]
		if text == "" {
			text = "the regex was stopped: too much backtracking"
		}
		k.fault(text)
	}
	return f.matched(v)
}

// fault notes what is wrong with the key, once for each entry.
func (k *check) fault(text string) {
	if ref := (faultRef{k.it, k.key}); !k.r.faulted[ref] {
		k.r.faulted[ref] = true
		k.r.faults = append(k.r.faults, k.it.fault(k.r.keyText(k.it, k.key), text))
	}
}

type faultRef struct {
	it  *item
	key int
}
