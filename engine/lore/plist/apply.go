package plist

import (
	"slices"
	"strings"
)

// Apply is before with those changes that are taken; hunks are of Diff(before,
// after), and take goes with them: a missing one is not taken, and those of kept
// facts say nothing. All taken make after byte for byte, none before. An entry
// that is left without a property is "".
func Apply(before string, hunks []Hunk, take []bool) string {
	taken := func(i int) bool { return i < len(take) && take[i] }
	all, none, kept := true, true, true
	for i := range hunks {
		h := &hunks[i]
		if h.Kind == Kept {
			continue
		}
		kept = false
		all, none = all && taken(i), none && !taken(i)
	}
	if kept { // nothing but blanks can differ
		all = len(hunks) > 0 && taken(0)
		none = !all
	}
	switch {
	case none || len(hunks) == 0 && before != "":
		return before
	case all && len(hunks) > 0 && hunks[0].from != nil:
		return hunks[0].from.after
	case len(hunks) == 1 && hunks[0].whole:
		return hunks[0].After
	}
	c := compose{of: split(before)}
	c.head = c.of.headPiece()
	if !c.of.list && len(c.of.pieces) == 0 && len(hunks) > 0 && hunks[0].from != nil {
		c.of = splitting{list: hunks[0].from.b.list, tail: hunks[0].from.b.tail}
		c.head = hunks[0].from.b.headPiece()
	}
	for i := range hunks {
		switch h := &hunks[i]; {
		case h.Kind == Kept || h.Kind != Added && !taken(i):
			c.add(piece{h.lead(false), h.Before, h.Head})
		case h.Kind != Removed && taken(i) && strings.TrimSpace(h.After) != "":
			c.add(piece{h.lead(h.Kind == Added), h.After, h.Head})
		}
	}
	return c.text()
}

// lead is what stands before the fact where it comes from.
func (h *Hunk) lead(after bool) string {
	switch {
	case h.from == nil || h.whole:
		return ""
	case after && h.j > 0:
		return h.from.b.pieces[h.j].lead
	case !after && h.i >= 0:
		return h.from.a.pieces[h.i].lead
	}
	return ""
}

func (s *splitting) headPiece() piece {
	if len(s.pieces) > 0 && s.pieces[0].head {
		return s.pieces[0]
	}
	return piece{}
}

// compose puts pieces together to a content of the form of another.
type compose struct {
	of     splitting
	head   piece // of an entry, where none was added
	pieces []piece
}

func (c *compose) add(p piece) {
	if p.head {
		c.head = p
		return
	}
	c.pieces = append(c.pieces, p)
}

func (c *compose) text() string {
	if len(c.pieces) == 0 {
		return ""
	}
	var b strings.Builder
	if c.of.list {
		open := c.head.lead
		if !strings.Contains(open, "[") {
			open = "["
		}
		b.WriteString(open + c.head.text)
		for i, p := range c.pieces {
			b.WriteString(listLead(p.lead, i == 0))
			b.WriteString(p.text)
		}
		tail := c.of.tail
		if at := strings.IndexByte(tail, ']'); at < 0 {
			tail = "]"
		} else if strings.ContainsAny(tail[:at], ":：") { // of an entry that said nothing
			tail = tail[at:]
		}
		return b.String() + tail
	}
	gap := c.gap()
	for i, p := range c.pieces {
		switch {
		case i == 0:
			if strings.TrimSpace(p.lead) == "" && strings.ContainsAny(p.lead, "\n") {
				p.lead = ""
			}
		case !strings.ContainsAny(p.lead, blanks):
			p.lead = gap + p.lead
		}
		b.WriteString(p.lead)
		b.WriteString(p.text)
	}
	return b.String() + c.of.tail
}

// listLead is what stands before a property: what stood there if it fits the
// place.
func listLead(lead string, first bool) string {
	kind := plain
	for i := 0; i < len(lead); {
		k, size := token(lead, i)
		if k == separator || k == colon {
			kind = k
			break
		}
		i += size
	}
	switch {
	case first && kind != colon:
		return ": "
	case !first && kind != separator:
		return ", "
	}
	return lead
}

// gap is what parts the facts of a free text.
func (c *compose) gap() string {
	for _, p := range c.of.pieces[min(1, len(c.of.pieces)):] {
		if strings.Contains(p.lead, "\n") {
			return "\n"
		}
	}
	if slices.ContainsFunc(c.pieces, func(p piece) bool { return strings.IndexAny(p.text, "-*•") == 0 }) {
		return "\n"
	}
	return " "
}

// TakeBack takes out of now what taught had added to base, and puts back what it
// removed or changed, by fact, where that is still as it was taught. False means
// that nothing of it was left to take back; "" that now held nothing else.
func TakeBack(base, taught, now string) (string, bool) {
	return carry(taught, base, now, true)
}

// Carry makes the changes that lead from one content to another in a third, by
// fact, where it has what they change. What is new comes behind what it stood
// behind, else at the end.
func Carry(from, to, now string) string {
	out, _ := carry(from, to, now, false)
	return out
}

// carry is Carry. A careful one adds nothing that now says otherwise.
func carry(from, to, now string, careful bool) (string, bool) {
	switch {
	case from == to:
		return now, false
	case now == from:
		return to, true
	}
	s, hunks := split(now), Diff(from, to)
	if len(hunks) == 1 && hunks[0].whole || len(s.pieces) == 0 || slices.ContainsFunc(hunks, func(h Hunk) bool { return h.from.other(s) }) {
		return now, false
	}
	w := newWork(s)
	done := false
	for i := range hunks {
		done = w.change(hunks, i, careful) || done
	}
	if !done {
		return now, false
	}
	return w.text(), true
}

// other tells whether a content is of another form than the two compared.
func (c *comparison) other(s splitting) bool {
	return len(c.a.pieces) > 0 && c.a.list != s.list || len(c.b.pieces) > 0 && c.b.list != s.list
}
