package lore

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"

	"ghostlight/storage"
)

// regexBudget bounds what all regexes of an activation may take together.
const regexBudget = 250 * time.Millisecond

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

// place is where a view sees the key first; not in the place except, if there is
// one.
func (st *keyState) place(v view, except place) (place, bool) {
	allowed := func(p place) bool { return p.kind != except.kind || p.at != except.at }
	if int(st.message) < v.depth {
		if p := (place{kind: inMessage, at: st.message}); allowed(p) {
			return p, true
		}
	}
	for fields := st.fields & v.fields; fields != 0; fields &= fields - 1 {
		if p := (place{kind: inField, at: int32(bits.TrailingZeros8(fields))}); allowed(p) {
			return p, true
		}
	}
	if p := (place{kind: inInject, at: st.inject}); st.inject != nowhere && allowed(p) {
		return p, true
	}
	if p := (place{inEntry, st.round, st.part}); v.rounds && st.round != nowhere && allowed(p) {
		return p, true
	}
	return place{}, false
}

var anywhere = place{kind: inNothing, at: -1}

// key finds the state of a key, making it if wanted.
func (r *run) key(slot int, id uint32) *keyState {
	if at, ok := r.keys[slot][id]; ok {
		return &r.states[at]
	}
	return nil
}

func (r *run) newKey(slot int, id uint32) *keyState {
	if st := r.key(slot, id); st != nil {
		return st
	}
	r.keys[slot][id] = int32(len(r.states))
	r.states = append(r.states, keyState{message: nowhere, inject: nowhere, round: nowhere})
	r.wake(slot, id)
	return &r.states[len(r.states)-1]
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
	if id != deadKey && id&(isMacro|isChecker) == isMacro {
		id = r.s.macro.ids[slot][id&^isMacro]
		slot = 2
	}
	if id == deadKey {
		return place{}, false
	}
	if id&isChecker == 0 {
		if v.depth <= 0 {
			return place{}, false
		}
		if st := r.key(slot, id); st != nil {
			return st.place(v, anywhere)
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
	switch c.scope {
	case inLine:
		return k.inLine(st)
	case inSegment:
		return k.inSegment(st)
	}
	return k.inWindow(st)
}

// check is a checker looking for a key of an entry.
type check struct {
	r   *run
	it  *item
	key int
	c   *checker
	v   view
}

// places are where the checker may match: where all is that it needs, or
// anywhere if it needs nothing. A segment of several parts has what they have.
func (k *check) places(st *keyState) int {
	if k.c.needs == nil {
		return len(k.r.places)
	}
	return len(st.list)
}

// at is the i-th of the places, and whether all is there that the checker needs.
func (k *check) at(st *keyState, i int) (place, bool) {
	if k.c.needs == nil {
		return k.r.places[i], true
	}
	p := st.list[i]
	if p.kind == inEntry && k.c.scope == inSegment {
		p.sets = k.all() // not worth adding up
	}
	return p.place, p.sets == k.all()
}

func (k *check) all() uint8 { return 1<<len(k.c.needs) - 1 }

func (k *check) inLine(st *keyState) (place, bool) {
	for n := k.places(st); st.next < n; st.next++ {
		at, ok := k.at(st, st.next)
		v := marked
		if at.kind == inEntry && at.part > 0 {
			v = bare // a new line is before it, not a marker
		}
		if ok && k.find(k.r.partAt(at), v) {
			st.note(at)
		}
	}
	return st.place(k.v, anywhere)
}

// inSegment looks at segments whole, and at the last one as what it is: there is
// no new line after it.
func (k *check) inSegment(st *keyState) (place, bool) {
	n := k.places(st)
	for ; st.next < n; st.next++ {
		if at, ok := k.at(st, st.next); ok && k.find(k.r.segmentAt(at), inner) {
			st.note(at)
		}
	}
	last := k.r.lastOf(k.v)
	if at, ok := st.place(k.v, last); ok {
		return at, true
	}
	for i := range n {
		if at, ok := k.at(st, i); ok && at.kind == last.kind && at.at == last.at {
			return at, k.find(k.r.segmentAt(at), marked)
		}
	}
	return place{}, false
}

func (k *check) inWindow(st *keyState) (place, bool) {
	if st.sets != k.all() || !k.find(k.r.window(k.v), bare) {
		return place{}, false
	}
	return place{kind: inSeveral}, true
}

// find looks at a text, unless that was done before. What was cut off counts as
// no match and is not tried again.
func (k *check) find(p *part, v variant) bool {
	f := p.memo[k.c]
	if !f.known(v) {
		if k.r.spent > regexBudget {
			k.fault(fmt.Sprintf("the regexes of all entries took more than %v together: this one was not looked for everywhere", regexBudget))
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
		if p.memo == nil {
			p.memo = map[*checker]finding{}
		}
		p.memo[k.c] = f
	}
	if f&wasCut != 0 {
		text := k.r.cut[k.c]
		if text == "" {
			text = "the regex was cut off: it tries too many ways to match"
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

// keyText is the i-th compiled key of an entry as it was written.
func (r *run) keyText(it *item, i int) string {
	lists := [][]string{it.e.Keys, it.e.SecondaryKeys}
	if d := it.c.deco; d != nil {
		lists = append(lists, d.additional, d.exclude)
	}
	for _, keys := range lists {
		keys = keysOf(keys)
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

func (r *run) segmentAt(at place) *part {
	if at.kind == inEntry {
		return r.rounds[at.at].whole(r.s)
	}
	return r.partAt(at)
}

// lastOf is the last segment that a view sees.
func (r *run) lastOf(v view) place {
	switch {
	case v.rounds && len(r.rounds) > 0:
		return place{kind: inEntry, at: int32(len(r.rounds) - 1)}
	case len(r.injects) > 0:
		return place{kind: inInject, at: int32(len(r.injects) - 1)}
	}
	for i := len(r.fields) - 1; i >= 0; i-- {
		if r.fields[i] != nil && v.fields>>i&1 != 0 {
			return place{kind: inField, at: int32(i)}
		}
	}
	return place{kind: inMessage, at: int32(min(v.depth, len(r.messages)) - 1)}
}

// window is all that a view sees, as one text.
func (r *run) window(v view) *part {
	v.depth = min(v.depth, len(r.messages))
	rounds := 0
	if v.rounds {
		rounds = len(r.rounds)
	}
	key := windowKey{v, rounds}
	if p := r.windows[key]; p != nil {
		return p
	}
	var b strings.Builder
	segment := func(p *part) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte(1)
		b.WriteString(p.text)
	}
	for _, p := range r.messages[:v.depth] {
		segment(p)
	}
	for i, p := range r.fields {
		if p != nil && v.fields>>i&1 != 0 {
			segment(p)
		}
	}
	for _, p := range r.injects {
		segment(p)
	}
	for _, round := range r.rounds[:rounds] {
		segment(round.whole(r.s))
	}
	p := r.s.part(asIs, "", b.String())
	r.windows[key] = p
	return p
}

type windowKey struct {
	v      view
	rounds int
}

// round is what the entries of one round of the loop said: one segment.
type round struct {
	parts []*part
	from  []*cand
	all   *part
}

func (o *round) whole(s *Scan) *part {
	if len(o.parts) == 1 {
		return o.parts[0]
	}
	if o.all == nil {
		texts := make([]string, len(o.parts))
		for i, p := range o.parts {
			texts[i] = p.text
		}
		o.all = s.part(asIs, "", strings.Join(texts, "\n"))
	}
	return o.all
}
