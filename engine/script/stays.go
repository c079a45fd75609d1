package script

import (
	"fmt"

	"ghostlight/storage"
)

// gone is where an item of LoreStays is that was dropped.
const gone = -1

// stay is an item of LoreStays on its way into the prompt.
type stay struct {
	item   *LoreItem
	active bool
	piece  piece
	was    int // index of the message before which it has stood; -1 for none at hand
	now    int // and before which it stands in this prompt, or gone
}

// addStay takes an item in. Several of one id are the first of them, which fires
// if any does.
func (c *compiler) addStay(it *LoreItem) {
	if i, has := c.lore.ids[it.ID]; has {
		c.lore.stays[i].active = c.lore.stays[i].active || it.Active
		return
	}
	c.lore.ids[it.ID] = len(c.lore.stays)
	c.lore.stays = append(c.lore.stays, stay{item: it, active: it.Active, piece: c.lorePiece(it, "\n", ""), was: -1, now: gone})
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
		if st.item.At != "" {
			stood[st.item.At] = append(stood[st.item.At], i)
		}
	}
	l.stood, l.said, l.asked = map[int]int{}, -1, -1
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
		if len(here) == 0 {
			continue
		}
		delete(stood, n.ID)
		l.stood[at] = messageTokens
		for _, i := range here {
			l.stays[i].was = at
			l.stood[at] += l.stays[i].piece.tokens()
		}
	}
}

// newest is the message before which lore stands that is new in a window that
// begins at from: the user's newest, or the newest where the user has said
// nothing in it. It is -1 where there is no message.
func (l *lore) newest(from int) int {
	if l.asked >= from {
		return l.asked
	}
	return l.said
}

// moved is how many tokens stand newly before the newest message where lore
// stays from the message at from on: what is new, and what fires and has lost
// its place.
func (l *lore) moved(from int) int {
	n, any := 0, false
	for _, st := range l.stays {
		if st.active && st.was < from {
			n, any = n+st.piece.tokens(), true
		}
	}
	if any && l.stood[l.newest(from)] == 0 {
		n += messageTokens
	}
	return n
}

// settleLore gives each item its place in a window, and makes a message of what
// stands at the same place.
func (c *compiler) settleLore(v *view) {
	if len(c.lore.stays) == 0 {
		return
	}
	from, newest := v.loreFrom, c.lore.newest(v.loreFrom)
	here := map[int][]piece{}
	const byWindow, byRoom = "the window has left the message before which it stood", "the history had outgrown its room"
	for i := range c.lore.stays {
		st := &c.lore.stays[i]
		why, left := "", byWindow
		if len(v.entries) > 0 && st.was >= v.first() {
			left = byRoom
		}
		switch {
		case st.was >= from:
			st.now, why = st.was, c.stoodReason(st, newest)
		case !st.active:
			part := lorePart(st.item, "")
			part.Reason = "dropped: it does not fire now, and " + left
			c.lore.out = append(c.lore.out, part)
			continue
		case st.item.At != "":
			st.now, why = newest, "moved here: "+left
		default:
			st.now, why = newest, "new, and stays here until the window leaves this message behind"
		}
		st.piece.part.Reason = why
		if st.active {
			st.piece.part.Reason = lorePart(st.item, why).Reason
		}
		here[st.now] = append(here[st.now], st.piece)
	}
	role := roleOf(c.s.TailRole)
	v.lore = map[int]block{}
	for at, pieces := range here {
		if at < 0 {
			v.tailLore = newBlock(role, pieces)
		} else {
			v.lore[at] = newBlock(role, pieces)
		}
	}
}

func (c *compiler) stoodReason(st *stay, newest int) string {
	switch {
	case st.active && st.was == newest:
		return "it stands before the newest message"
	case st.active:
		return fmt.Sprintf("it has stood before %s since it came up", st.item.At)
	}
	return fmt.Sprintf("it does not fire now: it came up before %s and stays there until the window leaves that behind", st.item.At)
}

// stands are the places of the items that stand before a message.
func (l *lore) stands(h []storage.Node) []LoreStand {
	var at []LoreStand
	for _, st := range l.stays {
		if st.now >= 0 {
			at = append(at, LoreStand{ID: st.item.ID, At: h[st.now].ID})
		}
	}
	return at
}
