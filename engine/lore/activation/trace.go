package activation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// trace records where the keys of an entry were found and why it triggers.
func (r *run) trace(c *candidate, v view) {
	var first place
	c.hits, first = r.hits(c.item, v)
	if !c.triggersByKeys() {
		return
	}
	c.why = r.matchReason(c)
	if first.kind == inEntry {
		from := r.rounds[first.at].from[first.part]
		c.path = append(slices.Clone(from.path), nameOf(from.item))
	}
}

// triggersByKeys reports whether an entry triggers for its keys alone.
func (c *candidate) triggersByKeys() bool {
	d := c.item.c.deco
	return !c.item.constant() && !c.forced && !c.sticky && (d == nil || !d.activate)
}

// hits returns the keys of an entry that a view sees, and the place of the first primary one.
func (r *run) hits(it *item, v view) (hits []Hit, first place) {
	n := it.c.primary
	if it.e.Selective {
		n += it.c.secondary
	}
	for i := range n {
		p, ok := r.match(it, v, i)
		if !ok {
			continue
		}
		second := i >= it.c.primary
		if len(hits) == 0 && !second {
			first = p
		}
		h := Hit{Key: it.keyText(i), Secondary: second, Back: -1}
		switch p.kind {
		case inMessage:
			if int(p.at) < len(r.in.Messages) {
				h.Message, h.Back = r.in.Messages[p.at].ID, int(p.at)
			}
		case inField:
			h.Where = fieldNames[p.at]
		case inInject:
			h.Where = "other prompt text"
		case inEntry:
			h.Where = "recursion: " + nameOf(r.rounds[p.at].from[p.part].item)
		case inSeveral:
			h.Where = "all scanned text"
		case inNothing:
			h.Where = "an empty text"
		}
		hits = append(hits, h)
	}
	return hits, first
}

// where describes a place.
func (r *run) where(p place) string {
	switch p.kind {
	case inMessage:
		return back(int(p.at))
	case inField:
		return "in the " + fieldNames[p.at]
	case inInject:
		return "in other prompt text"
	case inEntry:
		return "in the entry “" + nameOf(r.rounds[p.at].from[p.part].item) + "”"
	}
	return "in all scanned text"
}

func back(n int) string {
	switch n {
	case 0:
		return "in the newest message"
	case 1:
		return "in the message before the newest"
	}
	return strconv.Itoa(n) + " messages before the newest"
}

// in describes where a hit is.
func (h *Hit) in() string {
	if h.Back >= 0 {
		return back(h.Back)
	}
	if name, ok := strings.CutPrefix(h.Where, "recursion: "); ok {
		return "in the entry “" + name + "”"
	}
	switch {
	case h.Where == "":
		return "in a chat without messages"
	case slices.Contains(fieldNames[:], h.Where):
		return "in the " + h.Where
	}
	return "in " + h.Where
}

// matchReason says which keys matched.
func (r *run) matchReason(c *candidate) string {
	var second []string
	text := ""
	for i := range c.hits {
		h := &c.hits[i]
		switch {
		case h.Secondary:
			second = append(second, "“"+h.Key+"”")
		case text == "":
			text = "the key “" + h.Key + "” matched " + h.in()
		}
	}
	if len(second) > 0 {
		text += ", and of the secondary keys " + strings.Join(second, ", ")
	}
	return text
}

// isNotable reports whether an entry that did not trigger had a hit, or would have triggered
// without one.
func (r *run) isNotable(c *candidate) bool {
	r.explain(c)
	if c.matched {
		return true
	}
	return slices.ContainsFunc(c.hits, func(h Hit) bool { return !h.Secondary })
}

// explain fills in why an entry did not trigger.
func (r *run) explain(c *candidate) {
	v := view{depth: c.item.depth(r.set, r.skew), fields: fieldsOf(c.item.e), rounds: true}
	if c.ready {
		return // all is known
	}
	var first place
	c.hits, first = r.hits(c.item, v)
	primary := len(c.hits) > 0 && !c.hits[0].Secondary
	if primary && first.kind == inEntry {
		from := r.rounds[first.at].from[first.part]
		c.path = append(slices.Clone(from.path), nameOf(from.item))
	}
	if c.verdict == Excluded && !primary {
		c.verdict, c.why = NoMatch, ""
	}
	if c.why != "" {
		return
	}
	switch c.verdict {
	case Waiting:
		c.why = fmt.Sprintf("it needs recursion level %d, which was not reached", c.item.e.DelayUntilRecursion)
	case Excluded:
		c.why = r.matchReason(c) + ", but other entries cannot trigger it"
	case SecondaryFault:
		c.why = r.matchReason(c) + ", but its secondary keys did not match: " + logicWords[c.item.e.Logic&3]
	case NoMatch:
		c.why = r.noMatchReason(c, v)
	}
}

var logicWords = [...]string{
	storage.AndAny: "one of them must match", storage.NotAll: "one of them must be missing",
	storage.NotAny: "none of them may match", storage.AndAll: "all of them must match",
}

// noMatchReason lists the texts in which the keys were not found.
func (r *run) noMatchReason(c *candidate, v view) string {
	if v.depth <= 0 {
		return "its scan depth is 0: no messages are searched"
	}
	deep := v
	deep.depth = maxMessages
	for i := range c.item.c.primary {
		if p, ok := r.match(c.item, deep, i); ok && p.kind == inMessage && int(p.at) >= v.depth {
			return fmt.Sprintf("the key “%s” is only %s, beyond its scan depth of %d", c.item.keyText(i),
				back(int(p.at)), v.depth)
		}
	}
	keys := "its only key is not"
	if c.item.c.primary > 1 {
		keys = fmt.Sprintf("none of its %d keys is", c.item.c.primary)
	}
	if v.depth == 1 {
		return keys + " in the newest message or the other scanned text"
	}
	return fmt.Sprintf("%s in the newest %d messages or the other scanned text", keys, v.depth)
}

// traceOf returns the trace of any entry after the activation.
func (r *run) traceOf(at int32) Trace {
	c := r.cands[at]
	if c == nil {
		if c = r.newCand(at); !c.blocked {
			r.accepts(c)
			c.round = 0
		}
		r.explain(c)
	} else if !c.active {
		r.explain(c)
	}
	return r.toTrace(c)
}

func (r *run) toTrace(c *candidate) Trace {
	it := c.item
	at := it.place()
	t := Trace{
		Book: it.book.ID, BookName: it.book.Name, Source: it.book.Source, Entry: it.e,
		Verdict: c.verdict, Reason: c.why, Hits: c.hits, Round: c.round, Path: c.path, Group: c.group,
		Position: at.position, Depth: at.depth, Role: at.role, Outlet: at.outlet, Constant: it.constant(),
	}
	if it.c.deco != nil {
		e := *it.e
		e.Content = it.c.content
		t.Entry = &e
	}
	if !c.ready {
		r.prepare(c)
	}
	t.Text, t.Tokens = c.text, c.tokens
	return t
}

// budgetReason says why an entry did not fit; late if the budget was full before it.
func (r *run) budgetReason(c *candidate, late bool) string {
	if late {
		return fmt.Sprintf("the budget of %d tokens was already used", r.budget)
	}
	return fmt.Sprintf("it costs %d tokens, and %d of %d were used", c.tokens, r.used, r.budget)
}

func chanceReason(roll, p float64) string {
	return fmt.Sprintf("roll %s, probability %s %%", formatNumber(roll), formatNumber(p))
}

// formatNumber returns a number without more digits than a user wants to see.
func formatNumber(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
