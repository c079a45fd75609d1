package activation

import (
	"math"
	"math/bits"
	"sort"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// kind is what sort of text a place is in.
type kind uint8

const (
	inMessage kind = iota
	inField
	inInject
	inEntry   // the content of an entry: recursion
	inSeveral // found over more than one text
	inNothing // found though there is nothing: an empty match
)

// place is where a part of the scanned text is: the at-th of its kind, of entries
// the part-th of that round.
type place struct {
	kind     kind
	at, part int32
}

// fieldNames are the fields beside the messages in the order in which they are
// scanned. Their places are the bits of view.fields.
var fieldNames = [...]string{"persona", "description", "personality", "character's note", "scenario", "creator's notes"}

func fieldsOf(e *storage.LoreEntry) (mask uint8) {
	for i, on := range [...]bool{e.MatchPersona, e.MatchDescription, e.MatchPersonality, e.MatchDepthPrompt, e.MatchScenario, e.MatchCreatorNotes} {
		if on {
			mask |= 1 << i
		}
	}
	return mask
}

// view is what of all that is scanned an entry sees.
type view struct {
	depth  int
	fields uint8
	rounds bool
}

// keyState is where a key is known to be. Whatever an entry sees, it sees the
// newest messages and the earliest rounds, so the first place of each kind will
// do.
type keyState struct {
	message     int32
	inject      int32
	round, part int32
	fields      uint8

	next int       // of what a checker has yet to look at
	list []partial // where texts that a checker needs were found
	sets uint8     // of which there was one anywhere
}

// partial is a place with some of what a checker needs.
type partial struct {
	place
	sets uint8
}

// need notes that a set has a text at a place. Those of one place come together.
func (st *keyState) need(p place, set uint32) {
	st.sets |= 1 << set
	if n := len(st.list); n > 0 && st.list[n-1].place == p {
		st.list[n-1].sets |= 1 << set
		return
	}
	st.list = append(st.list, partial{p, 1 << set})
}

const nowhere = math.MaxInt32

func (st *keyState) note(p place) {
	switch p.kind {
	case inMessage:
		st.message = min(st.message, p.at)
	case inField:
		st.fields |= 1 << p.at
	case inInject:
		st.inject = min(st.inject, p.at)
	case inEntry:
		if p.at < st.round {
			st.round, st.part = p.at, p.part
		}
	}
}

// place is where a view sees the key first.
func (st *keyState) place(v view) (place, bool) {
	switch fields := st.fields & v.fields; {
	case int(st.message) < v.depth:
		return place{kind: inMessage, at: st.message}, true
	case fields != 0:
		return place{kind: inField, at: int32(bits.TrailingZeros8(fields))}, true
	case st.inject != nowhere:
		return place{kind: inInject, at: st.inject}, true
	case v.rounds && st.round != nowhere:
		return place{inEntry, st.round, st.part}, true
	}
	return place{}, false
}

// table is where the states of a matcher's keys are in an activation. What an
// earlier one left is known by its number, so that nothing has to be cleared.
type table struct {
	m    *matcher
	at   []int32
	when []uint32
}

func (t *table) use(m *matcher) {
	if t.m != m {
		*t = table{m: m}
		if m != nil {
			n := m.plain + len(m.checkers)
			t.at, t.when = make([]int32, n), make([]uint32, n)
		}
	}
}

// key is the state of a key, nil if it was not met yet.
func (r *run) key(slot int, id uint32) *keyState {
	t := &r.s.tables[slot]
	if at := t.m.place(id); t.when[at] == uint32(r.s.now) {
		return &r.states[t.at[at]]
	}
	return nil
}

// newKey is the state of a key, made if it has to be.
func (r *run) newKey(slot int, id uint32) *keyState {
	if st := r.key(slot, id); st != nil {
		return st
	}
	t, n := &r.s.tables[slot], len(r.states)
	at := t.m.place(id)
	t.at[at], t.when[at] = int32(n), uint32(r.s.now)
	if n == cap(r.states) {
		r.states = append(r.states, keyState{})
	}
	r.states = r.states[:n+1]
	st := &r.states[n]
	*st = keyState{message: nowhere, inject: nowhere, round: nowhere, list: st.list[:0]}
	r.wake(slot, id)
	return st
}

// wake makes candidates of all that have the key among their primary ones.
func (r *run) wake(slot int, id uint32) {
	if slot < 2 {
		for _, e := range r.x.layers[slot].wakes(id) {
			r.candidate(r.x.rank[slot][e])
		}
		return
	}
	for _, ref := range r.s.macro.posts[id] {
		for _, e := range r.x.layers[ref.layer].macros[ref.macro].entries {
			r.candidate(r.x.rank[ref.layer][e])
		}
	}
}

// add makes a part of what is scanned.
func (r *run) add(p *part, at place) {
	r.places = append(r.places, at)
	for slot, m := range r.matchers {
		if m == nil || m.empty() {
			continue
		}
		for _, id := range r.s.look(p, slot, m) {
			if id&isChecker != 0 {
				r.newKey(slot, id&^setMask).need(at, id&setMask)
			} else {
				r.newKey(slot, id).note(at)
			}
		}
	}
}

// match tells where a view sees a key of an entry, the i-th of those compiled.
func (r *run) match(it *item, v view, i int) (place, bool) {
	slot, id := int(it.c.layer), it.c.keys[i]
	if id&(isMacro|isChecker) == isMacro {
		id = r.s.macro.ids[slot][id&^isMacro]
		slot = 2
	}
	if id >= blankKey {
		return place{kind: inNothing}, id == blankKey
	}
	if id&isChecker == 0 {
		if v.depth <= 0 {
			return place{}, false
		}
		if st := r.key(slot, id); st != nil {
			return st.place(v)
		}
		return place{}, false
	}
	c := r.matchers[slot].checker(id)
	k := check{r: r, it: it, key: i, c: c, v: v}
	if v.depth <= 0 {
		// Nothing at all is scanned, not even fields: that is how it is there. Some
		// regexes match that.
		return place{kind: inNothing}, c.needs == nil && k.find(r.s.part(asIs, "", ""), bare)
	}
	st := r.key(slot, id)
	if st == nil {
		if c.needs != nil {
			return place{}, false
		}
		st = r.newKey(slot, id)
	}
	switch {
	case c.scope == inUnit:
		return k.inUnit(st)
	case c.scope == inRegion && c.needs != nil:
		return k.inRegion(st)
	}
	return k.inWindow(st)
}

// keyText is the i-th compiled key of an entry as it was written.
func (r *run) keyText(it *item, i int) string {
	lists := [][]string{it.e.Keys, it.e.SecondaryKeys}
	if d := it.c.deco; d != nil {
		lists = append(lists, d.additional, d.exclude)
	}
	for _, keys := range lists {
		if i < len(keys) {
			return keys[i]
		}
		i -= len(keys)
	}
	return ""
}

func (r *run) partAt(at place) *part {
	switch at.kind {
	case inField:
		return r.fields[at.at]
	case inInject:
		return r.injects[at.at]
	case inEntry:
		return r.rounds[at.at].parts[at.part]
	}
	return r.messages[at.at]
}

// units are the places that a view sees, in the order of the text.
type units struct {
	r        *run
	depth    int
	fields   uint8
	injects  int // where injected texts begin
	contents int // where contents of entries begin
	n        int
}

func (r *run) unitsOf(v view) units {
	u := units{r: r, depth: min(v.depth, len(r.messages))}
	for i, p := range r.fields {
		if p != nil {
			u.fields |= v.fields & (1 << i)
		}
	}
	u.injects = u.depth + bits.OnesCount8(u.fields)
	u.contents = u.injects + len(r.injects)
	u.n = u.contents
	if v.rounds && len(r.rounds) > 0 {
		last := r.rounds[len(r.rounds)-1]
		u.n += last.first + len(last.parts)
	}
	return u
}

// place is which of the units a place is, or -1.
func (u *units) place(p place) int {
	i := -1
	switch p.kind {
	case inMessage:
		if int(p.at) < u.depth {
			i = int(p.at)
		}
	case inField:
		if u.fields>>p.at&1 != 0 {
			i = u.depth + bits.OnesCount8(u.fields&(1<<p.at-1))
		}
	case inInject:
		i = u.injects + int(p.at)
	case inEntry:
		if i = u.contents + u.r.rounds[p.at].first + int(p.part); i >= u.n {
			i = -1
		}
	}
	return i
}

// at is where the i-th unit is.
func (u *units) at(i int) place {
	switch {
	case i < u.depth:
		return place{kind: inMessage, at: int32(i)}
	case i < u.injects:
		fields := u.fields
		for range i - u.depth {
			fields &= fields - 1
		}
		return place{kind: inField, at: int32(bits.TrailingZeros8(fields))}
	case i < u.contents:
		return place{kind: inInject, at: int32(i - u.injects)}
	}
	i -= u.contents
	n := sort.Search(len(u.r.rounds), func(n int) bool { return u.r.rounds[n].first > i }) - 1
	return place{inEntry, int32(n), int32(i - u.r.rounds[n].first)}
}

type regionKey struct {
	depth     int
	fields    uint8
	low, high int
}

// region is some units as one text. The order of a view's units does not depend on
// how many rounds it sees, so that the key need not tell.
func (r *run) region(u units, low, high int) *part {
	key := regionKey{u.depth, u.fields, low, high}
	if p := r.regions[key]; p != nil {
		return p
	}
	var b strings.Builder
	for i := low; i <= high; i++ {
		if i > low {
			b.WriteByte('\n')
		}
		at := u.at(i)
		if at.kind != inEntry || at.part == 0 {
			b.WriteByte(1)
		}
		b.WriteString(r.partAt(at).ready())
	}
	p := r.s.part(asIs, "", b.String())
	r.regions[key] = p
	return p
}

// round is what the entries of one round of the loop said: one segment.
type round struct {
	first int // how many contents there are in earlier rounds
	parts []*part
	from  []*cand
}
