package plist

import (
	"slices"
	"strings"
)

// Apply returns before with the accepted changes of Diff(before, after). take has an element for
// each hunk; missing ones count as false, and those of kept facts are ignored. With all changes the
// result is after byte for byte, with none before. An entry that is left without a property is "".
func Apply(before, after string, take []bool) string {
	hunks := Diff(before, after)
	taken := func(i int) bool { return i < len(take) && take[i] }
	all, none := slices.Contains(take, true), true
	for i := range hunks {
		if hunks[i].Kind != Kept {
			all, none = all && taken(i), none && !taken(i)
		}
	}
	switch {
	case all:
		return after
	case none:
		return before
	}
	a := split(before)
	form := a
	if len(a.pieces) == 0 {
		form = split(after)
	}
	c := builder{of: form, head: form.headPiece()}
	next := 0 // of the pieces before
	for i := range hunks {
		h := &hunks[i]
		p := piece{head: h.Head}
		if h.Kind != Added {
			p = a.pieces[next]
			next++
		}
		if h.Kind != Kept && taken(i) {
			p.text = h.After
		}
		if p.text != "" {
			c.add(p)
		}
	}
	return c.text()
}

func (s *splitting) headPiece() piece {
	if len(s.pieces) > 0 && s.pieces[0].head {
		return s.pieces[0]
	}
	return piece{}
}

// builder joins pieces to a content in the form of another one.
type builder struct {
	of     splitting
	head   piece // of an entry, if none was added
	pieces []piece
}

func (c *builder) add(p piece) {
	if p.head {
		c.head = p
		return
	}
	c.pieces = append(c.pieces, p)
}

func (c *builder) text() string {
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
		} else if strings.ContainsAny(tail[:at], ":：") { // of an entry without facts
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
			if p.lead = gap + p.lead; gap == " " && len(Facts(c.pieces[i-1].text+p.lead+p.text)) < 2 {
				p.lead = "\n" // the text before it does not end there
			}
		}
		b.WriteString(p.lead)
		b.WriteString(p.text)
	}
	return b.String() + c.of.tail
}

// listLead returns the text before a property: the original one if it fits the place.
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

// gap returns the separator of facts in a free text.
func (c *builder) gap() string {
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

// Revert undoes in now what taught changed in base: added facts are removed, and removed or changed
// ones restored if now still has them as taught left them. ok is false if nothing was left to undo.
// The result is "" if now had nothing else.
func Revert(base, taught, now string) (string, bool) {
	return rebase(taught, base, now, true)
}

// Rebase applies the changes between two contents to a third one, by fact, if it has the changed
// facts. New facts are inserted after the fact that they followed, or at the end.
func Rebase(from, to, now string) string {
	out, _ := rebase(from, to, now, false)
	return out
}

// rebase implements Rebase. If keepOthers is set, it adds no fact that contradicts the current
// content.
func rebase(from, to, now string, keepOthers bool) (string, bool) {
	switch {
	case from == to:
		return now, false
	case now == from:
		return to, true
	}
	s := split(now)
	if len(s.pieces) == 0 || !split(from).formOf(s) || !split(to).formOf(s) {
		return now, false
	}
	w, done := newRebaser(s), false
	hunks := Diff(from, to)
	for i := range hunks {
		done = w.change(hunks, i, keepOthers) || done
	}
	if !done {
		return now, false
	}
	return w.text(), true
}

// formOf reports whether a content has the form of another; one without a fact has any.
func (s splitting) formOf(other splitting) bool { return len(s.pieces) == 0 || s.list == other.list }
