package activation

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// kind is the kind of text at a place.
type kind uint8

const (
	inMessage kind = iota
	inField
	inInject
	inEntry   // the content of an entry: recursion
	inSeveral // found over more than one text
	inNothing // found though there is nothing: an empty match
)

// place is the position of a part of the scanned text: at is its index among the texts of its kind.
// For entries, at is the round, and part the index within that round.
type place struct {
	kind     kind
	at, part int32
}

// fieldNames are the fields besides the messages, in the order of scanning. Their indexes are the
// bits of view.fields.
var fieldNames = [...]string{"persona", "description", "personality", "character's note", "scenario", "creator's notes"}

func fieldsOf(e *storage.LoreEntry) (mask uint8) {
	for i, on := range [...]bool{e.MatchPersona, e.MatchDescription, e.MatchPersonality, e.MatchDepthPrompt,
		e.MatchScenario, e.MatchCreatorNotes} {
		if on {
			mask |= 1 << i
		}
	}
	return mask
}

// view is the part of the scanned texts that an entry sees.
type view struct {
	depth  int
	fields uint8
	rounds bool
}

// keyState records where a key is known to be. Every entry sees the newest messages and the
// earliest rounds, so the first place of each kind is enough.
type keyState struct {
	message     int32
	inject      int32
	round, part int32
	fields      uint8

	near []place // for a tried one: places of a text that it needs
	next int     // of these, or of all places, the first that was not looked at
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

// place returns the first place at which a view sees the key.
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

// key returns the state of a key of the no-th book. On the first call for a key, all entries that
// have it as a primary key become candidates.
func (r *run) key(no int, id int32) *keyState {
	st := r.states[no][id]
	if st == nil {
		st = &keyState{message: nowhere, inject: nowhere, round: nowhere}
		r.states[no][id] = st
		for _, e := range r.keys[no].wakes[id] {
			r.candidate(r.x.rank[no][e])
		}
	}
	return st
}

// add adds a part to the scanned text.
func (r *run) add(p *part, at place) {
	r.places = append(r.places, at)
	for no, keys := range r.keys {
		for _, id := range p.matchKeys(no, keys) {
			if st := r.key(no, id); keys.patterns[id].tried {
				st.near = append(st.near, at)
			} else {
				st.note(at)
			}
		}
	}
}

// keyID returns the number of the i-th key of an entry.
func (r *run) keyID(it *item, i int) int32 { return r.keys[it.no].ids[it.at][i] }

// match returns the first place at which a view sees the i-th key of an entry, and whether there is
// one.
func (r *run) match(it *item, v view, i int) (place, bool) {
	id := r.keyID(it, i)
	if id < 0 {
		return place{kind: inNothing}, id == blankKey
	}
	p := r.keys[it.no].patterns[id]
	if v.depth <= 0 {
		// No text is scanned, not even fields, as in the original. Some regexes match that.
		return place{kind: inNothing}, p.tried && p.needs == nil && r.tryPattern(it, i, p, r.s.part(asIs, "", ""))
	}
	st := r.states[it.no][id]
	if st == nil {
		return place{}, false
	}
	if !p.tried {
		return st.place(v)
	}
	near := st.near
	if p.needs == nil {
		near = r.places
	}
	if len(near) == 0 {
		return place{}, false
	}
	if p.scope != inAll {
		for ; st.next < len(near); st.next++ {
			if at := near[st.next]; r.tryPattern(it, i, p, r.partAt(at)) {
				st.note(at)
			}
		}
		if at, ok := st.place(v); ok || p.scope == inUnit {
			return at, ok
		}
	}
	units := r.units(v)
	if p.scope == across && p.needs != nil {
		return place{kind: inSeveral}, r.tryAround(it, i, p, units, near)
	}
	return place{kind: inSeveral}, r.tryPattern(it, i, p, r.joined(units, 0, len(units)))
}

// maxRegion is the maximum number of units that are searched together around a needed text. Beyond
// it, the whole text is searched instead.
const maxRegion = 32

// tryAround searches for a pattern in the units with a text that it needs, each with the units
// around it that a match can reach. Whatever matches there matches in the whole text, because a
// pattern with the scope across does not depend on anything else.
func (r *run) tryAround(it *item, i int, p *pattern, units []*part, near []place) bool {
	has := map[*part]bool{}
	for _, at := range near {
		has[r.partAt(at)] = true
	}
	for at, unit := range units {
		if !has[unit] {
			continue
		}
		low, high := at, at+1
		for left := p.crossings; left > 0 && low > 0; low-- {
			if !p.matchesAll(units[low-1].text) {
				left--
			}
		}
		for left := p.crossings; left > 0 && high < len(units); high++ {
			if !p.matchesAll(units[high].text) {
				left--
			}
		}
		if high-low > maxRegion {
			return r.tryPattern(it, i, p, r.joined(units, 0, len(units)))
		}
		if high-low > 1 && r.tryPattern(it, i, p, r.joined(units, low, high)) {
			return true
		}
	}
	return false
}

// tryPattern searches a text for a pattern that is the i-th key of an entry, unless that was done
// before. A search that was cut off counts as no match and is not repeated.
func (r *run) tryPattern(it *item, i int, p *pattern, in *part) bool {
	f, known := in.tried[p]
	if !known && p.needs != nil && !p.mayMatch(in.folded()) {
		known = true
	}
	if !known {
		if text, cut := r.cut[p]; cut {
			// One text was enough of it: a hundred of them would be too much.
			r.recordFault(it, i, text)
			return false
		}
		if r.spent > regexBudget {
			r.recordFault(it, i,
				fmt.Sprintf("the regexes of all entries took more than %v together: this one was not searched "+
					"everywhere", regexBudget))
			return false
		}
		start := time.Now()
		yes, err := p.find(in.text)
		r.spent += time.Since(start)
		switch {
		case err != nil:
			f = wasCut
			r.cut[p] = err.Error()
		case yes:
			f = matched
		}
		if in.tried == nil {
			in.tried = map[*pattern]finding{}
		}
		in.tried[p] = f
	}
	if f == wasCut {
		text := r.cut[p]
		if text == "" {
			text = "the regex was stopped: too much backtracking"
		}
		r.recordFault(it, i, text)
	}
	return f == matched
}

// recordFault records a problem of a key, once for each entry.
func (r *run) recordFault(it *item, i int, text string) {
	if ref := (keyRef{it, i}); !r.faulted[ref] {
		r.faulted[ref] = true
		r.faults = append(r.faults, it.fault(it.keyText(i), text))
	}
}

type keyRef struct {
	it *item
	i  int
}

// keyText returns the i-th key of an entry as it was written.
func (it *item) keyText(i int) string {
	for _, keys := range it.c.keys(it.e) {
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

// units returns the parts that a view sees, in the order of the text.
func (r *run) units(v view) []*part {
	out := slices.Clone(r.messages[:min(v.depth, len(r.messages))])
	for i, p := range r.fields {
		if p != nil && v.fields>>i&1 != 0 {
			out = append(out, p)
		}
	}
	out = append(out, r.injects...)
	if v.rounds {
		for _, round := range r.rounds {
			out = append(out, round.parts...)
		}
	}
	return out
}

// joined returns some of the units as one text.
func (r *run) joined(units []*part, from, to int) *part {
	texts := make([]string, to-from)
	for i, p := range units[from:to] {
		texts[i] = p.text
	}
	return r.s.part(asIs, "", strings.Join(texts, "\n"))
}

// round holds the contents of the entries of one round of the loop: one segment.
type round struct {
	parts []*part
	from  []*candidate
}
