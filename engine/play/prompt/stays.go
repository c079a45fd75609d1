package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// droppedAt takes the place of a message index for an item of LorePinned that was dropped.
const droppedAt = -1

// loreStay is an item of LorePinned while it is compiled.
type loreStay struct {
	item    *LoreItem // the text for this prompt
	given   *LoreItem // as in the snapshot
	section string
	active  bool
	piece   piece
	at      []storage.NodeID // the messages that it preceded in earlier prompts
	was     int              // index of the newest of them; -1 if none is in the history
	now     int              // index of the message that it precedes in this prompt, or droppedAt
}

// addStay adds an item. Items with one ID are merged into the first: it is active if any of them
// is, and has the newest place of them.
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

// findStays finds the messages that items preceded in earlier prompts, and counts the items'
// tokens.
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

// weighStays counts the tokens of the items before each message.
func (c *compiler) weighStays() {
	l := &c.lore
	for at, here := range l.standing {
		l.stood[at] = c.standTokens(here)
		l.slack[at] = l.stood[at] - c.standTokens(slices.DeleteFunc(slices.Clone(here), l.isSpent))
	}
}

// retellStays sets the items' texts for a prompt whose history begins at a depth.
func (c *compiler) retellStays(depth int) {
	for i := range c.lore.stays {
		if st := &c.lore.stays[i]; st.given.Recompute != nil {
			now := st.given.Recompute(depth, c.s.Recap)
			st.item, st.piece = &now, c.lorePiece(&now, "\n", "")
		}
	}
	c.weighStays()
}

// untellStays resets the items' texts to those of the snapshot.
func (c *compiler) untellStays() {
	if c.lore.hasVariants() {
		for i := range c.lore.stays {
			st := &c.lore.stays[i]
			st.item, st.piece = st.given, c.lorePiece(st.given, "\n", "")
		}
		c.weighStays()
	}
}

// hasVariants reports whether the text of any item depends on the beginning of the history.
func (l *lore) hasVariants() bool {
	return slices.ContainsFunc(l.stays, func(st loreStay) bool { return st.given.Recompute != nil })
}

// nonEmpty returns the items that have a text.
func (l *lore) nonEmpty(items []int) []int {
	if !slices.ContainsFunc(items, l.isEmpty) {
		return items
	}
	return slices.DeleteFunc(slices.Clone(items), l.isEmpty)
}

func (l *lore) isEmpty(i int) bool { return l.stays[i].piece.text == "" }

// isSpent reports whether an item leaves when the prompt after the system block is read again
// anyway: it is a note that is no longer active, and its message is neither the newest nor the
// user's newest. Lorebook entries stay, as they belong to the messages around them.
func (l *lore) isSpent(i int) bool {
	st := &l.stays[i]
	return !st.active && st.piece.part.Layer != LayerLore && st.was != l.asked && st.was != l.said
}

// standGroup holds the items of one layer and section before the same message.
type standGroup struct {
	layer, section string
	items          []int
}

// standRank returns the rank of a layer among those before the same message. Layers that are not
// listed come before the author's note.
func standRank(layer string) int {
	order := []string{LayerLore, LayerRecalled, LayerMemories, LayerHooks, "", LayerNote}
	if i := slices.Index(order, layer); i >= 0 && layer != "" {
		return i
	}
	return slices.Index(order, "")
}

// standGroups orders the items before the same message: by layer, within it those without a heading
// first, then by section in order of appearance.
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

// heading returns the line above a section, "" for none.
func (g standGroup) heading() string {
	if g.section == "" {
		return ""
	}
	return strings.TrimSuffix(g.section, ":") + ":\n"
}

// standTokens returns the tokens of the message that items form together.
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

// standPieces returns the pieces of the items before the same message, with headings above them,
// and an empty line between layers.
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

// newest returns the index of the message that new lore precedes, in a window that begins at from:
// the user's newest, or the newest of all if the window has none of the user. It is -1 if there is
// no message.
func (l *lore) newest(from int) int {
	if l.asked >= from {
		return l.asked
	}
	return l.said
}

// moved returns the additional tokens before the newest message if lore before messages older than
// from loses its place: those of new items, and of active items that move.
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

// settleLore sets each item's place in a window, and combines the items at the same place into a
// message. anew means that everything after the system message is read again anyway.
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
		case anew && st.item.InRecap != nil && st.item.InRecap(c.s.Recap):
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

// silent describes why an item that is not active has no effect now.
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

// stands returns the places of the items that were not dropped.
func (l *lore) stands(h []storage.Node) []PinnedLore {
	var at []PinnedLore
	for _, st := range l.stays {
		if st.now >= 0 {
			at = append(at, PinnedLore{ID: st.item.ID, At: h[st.now].ID})
		}
	}
	return at
}
