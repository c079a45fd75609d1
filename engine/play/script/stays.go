package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// droppedAt is where an item of LoreStays is that was dropped.
const droppedAt = -1

// loreStay is an item of LoreStays on its way into the prompt.
type loreStay struct {
	item    *LoreItem // as it is told
	given   *LoreItem // as the snapshot has it
	section string
	active  bool
	piece   piece
	at      []storage.NodeID // the messages before which it has stood
	was     int              // index of the newest of them; -1 for none at hand
	now     int              // and before which it stands in this prompt, or gone
}

// addStay takes an item in. Several of one id are the first of them, which fires
// if any does, and stands where the newest of them does.
func (c *compiler) addStay(it *LoreItem) {
	i, has := c.lore.ids[it.ID]
	if !has {
		i = len(c.lore.stays)
		c.lore.ids[it.ID] = i
		c.lore.stays = append(c.lore.stays, loreStay{item: it, given: it, section: label(it.Section),
			piece: c.lorePiece(it, "\n", ""), was: -1, now: droppedAt})
	}
	st := &c.lore.stays[i]
	st.active = st.active || it.Active
	if it.At != "" {
		st.at = append(st.at, it.At)
	}
}

// findStays finds the messages before which items have stood, and counts what
// stands there.
func (c *compiler) findStays() {
	l := &c.lore
	if len(l.stays) == 0 {
		return
	}
	stood := map[storage.NodeID][]int{}
	for i, st := range l.stays {
		for _, at := range st.at {
			stood[at] = append(stood[at], i)
		}
	}
	l.standing, l.stood, l.slack, l.said, l.asked = map[int][]int{}, map[int]int{}, map[int]int{}, -1, -1
	for at := len(c.s.History) - 1; at >= 0 && (len(stood) > 0 || l.asked < 0); at-- {
		n := &c.s.History[at]
		if !shown(n) {
			continue
		}
		l.said = max(l.said, at)
		if n.Role == storage.User {
			l.asked = max(l.asked, at)
		}
		here := stood[n.ID]
		delete(stood, n.ID)
		for _, i := range here {
			if st := &l.stays[i]; st.was < 0 {
				st.was = at
				l.standing[at] = append(l.standing[at], i)
			}
		}
	}
	c.weighStays()
}

// weighStays counts what stands before messages.
func (c *compiler) weighStays() {
	l := &c.lore
	for at, here := range l.standing {
		l.stood[at] = c.standTokens(here)
		l.slack[at] = l.stood[at] - c.standTokens(slices.DeleteFunc(slices.Clone(here), l.isSpent))
	}
}

// retellStays has the items told as a prompt tells them whose history begins at a depth.
func (c *compiler) retellStays(depth int) {
	for i := range c.lore.stays {
		if st := &c.lore.stays[i]; st.given.Anew != nil {
			now := st.given.Anew(depth, c.s.Memory)
			st.item, st.piece = &now, c.lorePiece(&now, "\n", "")
		}
	}
	c.weighStays()
}

// untellStays has the items told as the snapshot has them.
func (c *compiler) untellStays() {
	if c.lore.hasVariants() {
		for i := range c.lore.stays {
			st := &c.lore.stays[i]
			st.item, st.piece = st.given, c.lorePiece(st.given, "\n", "")
		}
		c.weighStays()
	}
}

// hasVariants reports whether any item is told anew where the history begins elsewhere.
func (l *lore) hasVariants() bool {
	return slices.ContainsFunc(l.stays, func(st loreStay) bool { return st.given.Anew != nil })
}

// nonEmpty returns those of items that say anything.
func (l *lore) nonEmpty(items []int) []int {
	if !slices.ContainsFunc(items, l.isEmpty) {
		return items
	}
	return slices.DeleteFunc(slices.Clone(items), l.isEmpty)
}

func (l *lore) isEmpty(i int) bool { return l.stays[i].piece.text == "" }

// isSpent reports whether an item goes when the prompt behind the system block is
// read again anyway: it is a note that nothing asks for now, and what it was said
// for is over. Entries of lorebooks tell of what is talked about around them, and
// stay.
func (l *lore) isSpent(i int) bool {
	st := &l.stays[i]
	return !st.active && st.piece.part.Layer != LayerLore && st.was != l.asked && st.was != l.said
}

// standGroup are the items of one layer and section that stand together.
type standGroup struct {
	layer, section string
	items          []int
}

// standRank returns the order of layers that stand before the same message; what is
// not named here stands before the author's note.
func standRank(layer string) int {
	order := []string{LayerLore, LayerRecalled, LayerMemories, LayerHooks, "", LayerNote}
	if i := slices.Index(order, layer); i >= 0 && layer != "" {
		return i
	}
	return slices.Index(order, "")
}

// standGroups puts items that stand before the same message in their order: by
// layer, within it what has no heading first, then by section in the order in
// which sections come up.
func (l *lore) standGroups(items []int) []standGroup {
	var groups []standGroup
	index := map[[2]string]int{}
	for _, i := range items {
		st := &l.stays[i]
		key := [2]string{st.piece.part.Layer, st.section}
		at, has := index[key]
		if !has {
			at = len(groups)
			index[key], groups = at, append(groups, standGroup{layer: key[0], section: key[1]})
		}
		groups[at].items = append(groups[at].items, i)
	}
	slices.SortStableFunc(groups, func(a, b standGroup) int {
		switch x, y := standRank(a.layer), standRank(b.layer); {
		case x != y:
			return x - y
		case a.layer != b.layer:
			return strings.Compare(a.layer, b.layer)
		case (a.section == "") != (b.section == ""):
			return len(a.section) - len(b.section)
		}
		return 0
	})
	return groups
}

// heading returns the line above a section, "" where there is none.
func (g standGroup) heading() string {
	if g.section == "" {
		return ""
	}
	return strings.TrimSuffix(g.section, ":") + ":\n"
}

// standTokens returns what the message takes that items make together.
func (c *compiler) standTokens(items []int) int {
	if items = c.lore.nonEmpty(items); len(items) == 0 {
		return 0
	}
	n := messageTokens
	for _, i := range items {
		n += c.lore.stays[i].piece.tokens()
	}
	for _, g := range c.lore.standGroups(items) {
		if heading := g.heading(); heading != "" {
			n += c.count(heading)
		}
	}
	return n
}

// standPieces returns the pieces of items that stand together, headings above them,
// and an empty line between one layer and the next.
func (c *compiler) standPieces(items []int) []piece {
	var pieces []piece
	layer := ""
	for _, g := range c.lore.standGroups(c.lore.nonEmpty(items)) {
		for k, i := range g.items {
			p := c.lore.stays[i].piece
			p.stays = true
			if heading := g.heading(); k == 0 && heading != "" {
				p.text = heading + p.text
				p.part.Tokens += c.count(heading)
			}
			if g.layer != layer {
				p.join, layer = "", g.layer
			}
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// newest returns the message before which lore stands that is new in a window that
// begins at from: the user's newest, or the newest where the user has said
// nothing in it. It is -1 if there is no message.
func (l *lore) newest(from int) int {
	if l.asked >= from {
		return l.asked
	}
	return l.said
}

// moved returns how many tokens stand newly before the newest message where lore
// stays from the message at from on: what is new, and what fires and has lost
// its place.
func (c *compiler) moved(from int) int {
	l := &c.lore
	var come []int
	for i, st := range l.stays {
		if st.active && st.was < from {
			come = append(come, i)
		}
	}
	if len(come) == 0 {
		return 0
	}
	here := l.standing[l.newest(from)]
	return c.standTokens(append(slices.Clip(slices.Clone(here)), come...)) - c.standTokens(here)
}

// settleLore gives each item its place in a window, and makes a message of what
// stands at the same place. anew: all behind the system message is read again anyway.
func (c *compiler) settleLore(v *historyView, anew bool) {
	if len(c.lore.stays) == 0 {
		return
	}
	from, newest := v.loreFrom, c.lore.newest(v.loreFrom)
	here := map[int][]int{}
	for i := range c.lore.stays {
		st := &c.lore.stays[i]
		stands, why := st.was >= from, ""
		left := "its message has left the context"
		if len(v.entries) > 0 && st.was >= v.first() {
			left = "the history did not fit"
		}
		if stands && v.cleared && c.lore.isSpent(i) {
			stands, left = false, "everything after the system message is processed again here anyway"
		}
		switch {
		case anew && st.item.InRecap != nil && st.item.InRecap(c.s.Memory):
			c.dropStay(st, v, "the new recap covers it")
			continue
		case stands:
			st.now, why = st.was, c.stayReason(st, newest)
		case !st.active:
			c.dropStay(st, v, left)
			continue
		case len(st.at) > 0:
			st.now, why = newest, "moved here: "+left
		default:
			st.now, why = newest, "new, pinned here until this message scrolls out of context"
		}
		st.piece.part.Reason = why
		if st.piece.part = st.piece.part.less(st.item); st.active {
			st.piece.part.Reason = lorePart(st.item, why).Reason
		}
		if here[st.now] = append(here[st.now], i); c.lore.isEmpty(i) {
			c.lore.out = append(c.lore.out, st.piece.part)
		}
	}
	role := roleOf(c.s.TailRole)
	v.lore = map[int]block{}
	for at, items := range here {
		if b := newBlock(role, c.standPieces(items)); at < 0 {
			v.tailLore = b
		} else {
			v.lore[at] = b
		}
	}
}

// dropStay leaves an item out.
func (c *compiler) dropStay(st *loreStay, v *historyView, left string) {
	part := lorePart(st.item, "")
	part.Reason = fmt.Sprintf("dropped: %s, and %s", part.silent(), left)
	c.lore.out = append(c.lore.out, part)
	if len(v.entries) > 0 && st.was >= v.first() {
		c.lore.dropped = true
	}
}

// silent says of an item that is not active what that means.
func (p Part) silent() string {
	if p.Layer == LayerLore {
		return "not triggered now"
	}
	return "not needed now"
}

func (c *compiler) stayReason(st *loreStay, newest int) string {
	at := c.s.History[st.was].ID
	switch {
	case st.active && st.was == newest:
		return "before the newest message"
	case st.active:
		return fmt.Sprintf("pinned before %s", at)
	}
	return fmt.Sprintf("%s: pinned before %s until it scrolls out of context", st.piece.part.silent(), at)
}

// stands returns the places of the items that stand before a message.
func (l *lore) stands(h []storage.Node) []LoreStand {
	var at []LoreStand
	for _, st := range l.stays {
		if st.now >= 0 {
			at = append(at, LoreStand{ID: st.item.ID, At: h[st.now].ID})
		}
	}
	return at
}
