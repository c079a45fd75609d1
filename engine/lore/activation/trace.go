package activation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// trace notes where the keys of an entry that may fire were found, and why it
// does.
func (r *run) trace(c *cand, v view) {
	var first place
	c.hits, first = r.hits(c.it, v)
	if !c.byKeys() {
		return
	}
	c.why = r.because(c)
	if first.kind == inEntry {
		from := r.rounds[first.at].from[first.part]
		c.path = append(slices.Clone(from.path), nameOf(from.it))
	}
}

// byKeys reports whether an entry fires for its keys alone.
func (c *cand) byKeys() bool {
	d := c.it.c.deco
	return !c.it.constant() && !c.forced && !c.sticky && (d == nil || !d.activate)
}

// hits are the keys of an entry that a view sees, and the place of the first
// primary one.
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
			h.Where = "recursion: " + nameOf(r.rounds[p.at].from[p.part].it)
		case inSeveral:
			h.Where = "all scanned text"
		case inNothing:
			h.Where = "an empty text"
		}
		hits = append(hits, h)
	}
	return hits, first
}

// where says in words where a place is.
func (r *run) where(p place) string {
	switch p.kind {
	case inMessage:
		return back(int(p.at))
	case inField:
		return "in the " + fieldNames[p.at]
	case inInject:
		return "in other prompt text"
	case inEntry:
		return "in the entry “" + nameOf(r.rounds[p.at].from[p.part].it) + "”"
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

// in says in words where a hit is.
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

// because says which keys matched.
func (r *run) because(c *cand) string {
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

// lost reports whether an entry that did not fire had a hit, or would have fired
// without one.
func (r *run) lost(c *cand) bool {
	r.explain(c)
	if c.hit {
		return true
	}
	return slices.ContainsFunc(c.hits, func(h Hit) bool { return !h.Secondary })
}

// explain fills in why an entry did not fire.
func (r *run) explain(c *cand) {
	v := view{depth: c.it.depth(r.set, r.skew), fields: fieldsOf(c.it.e), rounds: true}
	if c.ready {
		return // all is known
	}
	var first place
	c.hits, first = r.hits(c.it, v)
	primary := len(c.hits) > 0 && !c.hits[0].Secondary
	if primary && first.kind == inEntry {
		from := r.rounds[first.at].from[first.part]
		c.path = append(slices.Clone(from.path), nameOf(from.it))
	}
	if c.verdict == Excluded && !primary {
		c.verdict, c.why = NoMatch, ""
	}
	if c.why != "" {
		return
	}
	switch c.verdict {
	case Waiting:
		c.why = fmt.Sprintf("it needs recursion level %d, which was not reached", c.it.e.DelayUntilRecursion)
	case Excluded:
		c.why = r.because(c) + ", but other entries cannot trigger it"
	case SecondaryFault:
		c.why = r.because(c) + ", but its secondary keys did not match: " + logicWords[c.it.e.Logic&3]
	case NoMatch:
		c.why = r.unmatched(c, v)
	}
}

var logicWords = [...]string{
	storage.AndAny: "one of them must match", storage.NotAll: "one of them must be missing",
	storage.NotAny: "none of them may match", storage.AndAll: "all of them must match",
}

// unmatched says where the keys were looked for in vain.
func (r *run) unmatched(c *cand, v view) string {
	if v.depth <= 0 {
		return "its scan depth is 0: no messages are searched"
	}
	deep := v
	deep.depth = maxMessages
	for i := range c.it.c.primary {
		if p, ok := r.match(c.it, deep, i); ok && p.kind == inMessage && int(p.at) >= v.depth {
			return fmt.Sprintf("the key “%s” is only %s, beyond its scan depth of %d", c.it.keyText(i), back(int(p.at)), v.depth)
		}
	}
	keys := "its only key is not"
	if c.it.c.primary > 1 {
		keys = fmt.Sprintf("none of its %d keys is", c.it.c.primary)
	}
	if v.depth == 1 {
		return keys + " in the newest message or the other scanned text"
	}
	return fmt.Sprintf("%s in the newest %d messages or the other scanned text", keys, v.depth)
}

// why is the trace of any entry after the activation.
func (r *run) why(at int32) Trace {
	c := r.cands[at]
	if c == nil {
		if c = r.newCand(at); !c.barred {
			r.accepts(c)
			c.round = 0
		}
		r.explain(c)
	} else if !c.active {
		r.explain(c)
	}
	return r.toTrace(c)
}

func (r *run) toTrace(c *cand) Trace {
	it := c.it
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

// tooMuch says how an entry did not fit; late if the budget was full before it.
func (r *run) tooMuch(c *cand, late bool) string {
	if late {
		return fmt.Sprintf("the budget of %d tokens was already used", r.budget)
	}
	return fmt.Sprintf("it costs %d tokens, and %d of %d were used", c.tokens, r.used, r.budget)
}

func missed(roll, p float64) string {
	return fmt.Sprintf("roll %s, probability %s %%", short(roll), short(p))
}

// short is a number without more digits than a user wants to see.
func short(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
