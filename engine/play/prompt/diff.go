package prompt

import (
	"fmt"
	"slices"
	"strings"
)

// ChangeKind is the way in which a part of a prompt differs from the previous prompt.
type ChangeKind string

const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
	Moved   ChangeKind = "moved"
)

// Change is a part of a prompt that differs from the previous prompt. Tokens counts the current
// part, or the old one if it was removed.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	Layer  string     `json:"layer"`
	Source string     `json:"source"`
	Tokens int        `json:"tokens"`
	// First reports that the server reads everything from here on again.
	First bool `json:"first,omitempty"`
}

// Compare lists the differences between two prompts, in the order of next; a removed part is listed
// at its old place. Text that only follows the end of prev, as a new turn does, counts as added,
// and so does the tail, which is repeated after a newer message. Consecutive history messages that
// differ in the same way are one change. It returns nil if either prompt was not made by Compile.
func Compare(prev, next *Prompt) []Change {
	d, ok := differ(prev, next)
	if !ok {
		return nil
	}
	return merged(d.rows)
}

// promptUnit is a piece of a prompt, or one message of its history.
type promptUnit struct {
	layer, source, id string
	opens             bool // whether it is the beginning of a message
	stays             bool // whether it is lore that stays in the history
	message           int  // index of its message
	from, to          int  // bytes of the message's content
	tokens            int
	key               string // unique within its prompt
}

// keyed returns the units of a prompt with their keys.
func (p *Prompt) keyed() []promptUnit {
	seen := map[string]int{}
	units := slices.Clone(p.units)
	for i := range units {
		u := &units[i]
		key := u.layer + "\x00" + u.id
		seen[key]++
		u.key = fmt.Sprintf("%s\x00%d", key, seen[key])
	}
	return units
}

func (p *Prompt) textOf(u *promptUnit) string { return p.Messages[u.message].Content[u.from:u.to] }
func (p *Prompt) roleOf(u *promptUnit) string { return p.Messages[u.message].Role }

// gap returns the text between a unit and the one before it in its message.
func (p *Prompt) gap(units []promptUnit, i int) string {
	if units[i].opens || i == 0 {
		return ""
	}
	return p.Messages[units[i].message].Content[units[i-1].to:units[i].from]
}

// changeRow is a change with the key of its unit.
type changeRow struct {
	Change
	key string
}

// difference is the comparison of two prompts. Each has a head, the part before its tail: a turn
// extends the head at its end, and sends the tail again.
type difference struct {
	prev, next         *Prompt
	prevUnits, units   []promptUnit
	prevHead, nextHead []promptUnit
	was                map[string]int // index in prevUnits, by key
	is                 map[string]int // index in units, by key
	rows               []changeRow
	// The heads differ from the unit at first on. last is the index of the last unit of next that
	// the server has read already and reads again. If last < first, nothing is read again
	// unnecessarily.
	first, last int
}

func differ(prev, next *Prompt) (*difference, bool) {
	if prev == nil || next == nil || len(prev.units) == 0 || len(next.units) == 0 {
		return nil, false
	}
	d := &difference{prev: prev, next: next, prevUnits: prev.keyed(), units: next.keyed(), was: map[string]int{},
		is: map[string]int{}}
	d.prevHead, d.nextHead = d.prevUnits[:prev.head], d.units[:next.head]
	for i := range d.prevUnits {
		d.was[d.prevUnits[i].key] = i
	}
	for i := range d.units {
		d.is[d.units[i].key] = i
	}
	d.heads()
	d.flag()
	d.tails()
	return d, true
}

// wasInHead returns the index in prev's head of a unit of next.
func (d *difference) wasInHead(u *promptUnit) (int, bool) {
	i, has := d.was[u.key]
	return i, has && i < len(d.prevHead)
}

// same reports whether two units have the same text and role.
func (d *difference) same(was, is int) bool {
	a, b := &d.prevUnits[was], &d.units[is]
	return d.prev.textOf(a) == d.next.textOf(b) && d.prev.roleOf(a) == d.next.roleOf(b)
}

// heads compares the parts before the tails.
func (d *difference) heads() {
	stays := d.inOrder()
	at := 0 // the first unit of prev's head that is not handled yet
	removed := func(to int) {
		for ; at < to; at++ {
			u := &d.prevHead[at]
			if _, still := d.is[u.key]; !still {
				d.add(Removed, u)
			}
		}
	}
	for i := range d.nextHead {
		u := &d.nextHead[i]
		was, had := d.wasInHead(u)
		if had && stays[was] {
			removed(was)
			at = max(at, was+1)
		}
		switch {
		case !had:
			d.add(Added, u)
		case !d.same(was, i):
			d.add(Changed, u)
		case !stays[was]:
			d.add(Moved, u)
		}
	}
	removed(len(d.prevHead))
	d.first = 0
	for d.first < min(len(d.prevHead), len(d.nextHead)) && d.bytesSame(d.first) {
		d.first++
	}
	d.last = -1
	for i := range d.units {
		// A reply may now be behind the tail.
		behind := d.units[i].layer == LayerHistory && d.first < min(len(d.prevHead), len(d.nextHead))
		if _, had := d.wasInHead(&d.units[i]); had && (i < len(d.nextHead) || behind) {
			d.last = i
		}
	}
	if d.first >= d.grows() {
		d.last = -1
	}
}

// grows returns the index in next's head where a turn adds its text: the newest message, and the
// lore that came with it.
func (d *difference) grows() int {
	i := len(d.nextHead) - 1
	for i >= 0 && d.nextHead[i].layer != LayerHistory {
		i--
	}
	if i < 1 {
		return len(d.nextHead)
	}
	block := d.nextHead[i-1].message
	for i > 0 && d.nextHead[i-1].message == block && d.nextHead[i-1].stays {
		i--
	}
	return i
}

// bytesSame reports whether the units at index i of both heads have the same key, text and role,
// and the same gap before them.
func (d *difference) bytesSame(i int) bool {
	a, b := &d.prevHead[i], &d.nextHead[i]
	return a.key == b.key && a.opens == b.opens && d.same(i, i) && d.prev.gap(d.prevUnits, i) == d.next.gap(d.units, i)
}

// inOrder returns the indexes in prev's head of a longest sequence of units that keep their order
// in next's.
func (d *difference) inOrder() map[int]bool {
	var seq []int // indexes in prev's head in the order of next
	for i := range d.nextHead {
		if was, had := d.wasInHead(&d.nextHead[i]); had {
			seq = append(seq, was)
		}
	}
	ends, before := []int{}, make([]int, len(seq)) // ends: indices into seq of the least end of a run of each length
	for i, place := range seq {
		n, _ := slices.BinarySearchFunc(ends, place, func(e, p int) int { return seq[e] - p })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	stays := map[int]bool{}
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			stays[seq[i]] = true
		}
	}
	return stays
}

// flag marks the change from which on the server reads known text again.
func (d *difference) flag() {
	if d.last < d.first {
		return
	}
	u, had := &d.nextHead[d.first], false
	candidates := []string{u.key}
	if _, had = d.wasInHead(u); d.first < len(d.prevHead) {
		was := &d.prevHead[d.first]
		if _, still := d.is[was.key]; had && !still {
			candidates = []string{was.key, u.key} // the removed unit is the cause, so it comes first
		} else {
			candidates = append(candidates, was.key)
		}
	}
	for _, key := range candidates {
		if i := slices.IndexFunc(d.rows, func(r changeRow) bool { return r.key == key }); i >= 0 {
			d.rows[i].First = true
			return
		}
	}
	// Only its place in its message has changed.
	at := 0
	for at < len(d.rows) && d.before(&d.rows[at], d.first) {
		at++
	}
	d.rows = slices.Insert(d.rows, at,
		changeRow{Change{Kind: Changed, Layer: u.layer, Source: u.source, Tokens: u.tokens, First: true}, u.key})
}

// before reports whether a row is about a unit before the one at index i of next.
func (d *difference) before(r *changeRow, i int) bool {
	at, has := d.is[r.key]
	return has && at < i
}

// tails compares the tails and everything after them. After a new message the whole tail counts as
// added, even if it is unchanged.
func (d *difference) tails() {
	turn := d.turn(d.prevHead) == d.turn(d.nextHead)
	for i := len(d.nextHead); i < len(d.units); i++ {
		u := &d.units[i]
		was, had := d.was[u.key]
		switch {
		case u.layer == LayerHistory && had:
		case !had || !turn:
			d.add(Added, u)
		case !d.same(was, i):
			d.add(Changed, u)
		}
	}
	for i := len(d.prevHead); i < len(d.prevUnits); i++ {
		u := &d.prevUnits[i]
		oneTurn := u.layer == LayerMode || u.layer == LayerNudge || u.layer == LayerAppended
		if _, still := d.is[u.key]; !still && (turn || !oneTurn) {
			d.add(Removed, u)
		}
	}
}

// turn returns the key of the newest message in a head.
func (d *difference) turn(head []promptUnit) string {
	for i := len(head) - 1; i >= 0; i-- {
		if head[i].layer == LayerHistory {
			return head[i].key
		}
	}
	return ""
}

func (d *difference) add(kind ChangeKind, u *promptUnit) {
	d.rows = append(d.rows, changeRow{Change{Kind: kind, Layer: u.layer, Source: u.source, Tokens: u.tokens}, u.key})
}

// merged combines consecutive messages that differ in the same way into one change.
func merged(rows []changeRow) []Change {
	var all []Change
	for i := 0; i < len(rows); i++ {
		c := rows[i].Change
		if c.Layer == LayerHistory {
			n, last := 1, c.Source
			for i+1 < len(rows) && rows[i+1].Layer == LayerHistory && rows[i+1].Kind == c.Kind && !rows[i+1].First {
				i++
				n, last = n+1, rows[i].Source
				c.Tokens += rows[i].Tokens
			}
			if c.Source = "message " + c.Source; n > 1 {
				c.Source = fmt.Sprintf("%s %s to %s", plural(n, "message"),
					strings.TrimPrefix(c.Source, "message "), last)
			}
		}
		all = append(all, c)
	}
	return all
}
