package script

import (
	"fmt"

	"ghostlight/storage"
)

// A fold drops old history to foldShare of its room, or lower where it has to
// so that foldTurns turns of the recent size fit before the next one, but never
// below foldFloor.
const (
	foldShare  = 0.60
	foldFloor  = 0.30
	foldTurns  = 14
	foldRecent = 16 // messages that the recent size is taken from
)

// entry is a message of the history that may go into the prompt.
type entry struct {
	at   int // index in Snapshot.History
	cost int // tokens, its role's marks included
}

// view is the history that goes into the prompt.
type view struct {
	entries []entry // newest first
	tokens  int
	hidden  int // messages inside it that no model is shown
	folded  bool
}

// shown tells whether a model is shown a message: what was said by the user or
// the character, and nothing else.
func shown(n *storage.Node) bool {
	return !n.Deleted && n.Content != "" && (n.Role == storage.User || n.Role == storage.Assistant)
}

// window chooses the history: where it began in the last prompt, as long as
// that fits, and after a fold where it does not. It walks from the newest
// message back and counts no more than fits.
func (c *compiler) window(blocks ...block) (view, error) {
	h := c.s.History
	fixed := 0
	for _, b := range blocks {
		fixed += b.tokens()
	}
	limit := c.s.Limits.Context - max(c.s.Limits.Reply, 0) - margin(c.s.Limits.Context)
	room := limit - fixed
	var entries []entry
	total, found, overflow := 0, false, false
	for i := len(h) - 1; i >= 0 && !found; i-- {
		found = c.s.Window != "" && h[i].ID == c.s.Window
		if !shown(&h[i]) {
			continue
		}
		e := entry{at: i, cost: c.count(h[i].Content) + messageTokens}
		entries = append(entries, e)
		if total += e.cost; total > room {
			overflow = true
			break
		}
	}
	folded := overflow || !found && c.s.More
	if folded {
		entries = c.fold(entries, room)
	}
	v := view{entries: entries, folded: folded, tokens: sum(entries)}
	if v.tokens > room {
		return view{}, c.tooLong(fixed+v.tokens, limit, entries, blocks)
	}
	if len(entries) > 0 {
		for i := entries[len(entries)-1].at; i < len(h); i++ {
			if !h[i].Deleted && !shown(&h[i]) {
				v.hidden++
			}
		}
	}
	return v, nil
}

// fold keeps the newest entries up to the share of room that a fold aims at,
// beginning with a user's message where it can. The newest exchange stays
// whatever it costs, and the one before it as long as there is room.
func (c *compiler) fold(entries []entry, room int) []entry {
	if len(entries) == 0 {
		return entries
	}
	least := c.exchanges(entries, room)
	target := foldTarget(room, c.turnSize(entries))
	keep, total := 0, 0
	for keep < len(entries) && (keep < least || total+entries[keep].cost <= target) {
		total += entries[keep].cost
		keep++
	}
	return entries[:c.atUser(entries, keep, least, room)]
}

// atUser moves the beginning of entries[:keep] to a user's message: to the next
// newer one, or to the next older one where too little would be left.
func (c *compiler) atUser(entries []entry, keep, least, room int) int {
	floor := int(float64(room) * foldFloor)
	newer, total := 0, 0
	for i, e := range entries {
		if total += e.cost; total > room {
			break
		}
		if i+1 < least || c.role(e) != storage.User {
			continue
		}
		if i < keep {
			newer = i + 1
		} else if newer > 0 && sum(entries[:newer]) >= floor {
			break
		} else {
			return i + 1
		}
	}
	if newer > 0 {
		return newer
	}
	return keep
}

func sum(entries []entry) int {
	total := 0
	for _, e := range entries {
		total += e.cost
	}
	return total
}

// exchanges is how many of the newest entries a fold must keep, at least one.
func (c *compiler) exchanges(entries []entry, room int) int {
	least, total, users := 1, 0, 0
	for i, e := range entries {
		total += e.cost
		if c.role(e) != storage.User {
			continue
		}
		if users++; users == 1 {
			least = i + 1
		} else {
			if total <= room {
				least = i + 1
			}
			break
		}
	}
	return least
}

// turnSize is the mean size of the most recent turns.
func (c *compiler) turnSize(entries []entry) int {
	total, users := 0, 0
	for _, e := range entries[:min(len(entries), foldRecent)] {
		total += e.cost
		if c.role(e) == storage.User {
			users++
		}
	}
	return total / max(users, 1)
}

func foldTarget(room, turn int) int {
	share := int(float64(room) * foldShare)
	floor := int(float64(room) * foldFloor)
	return max(min(share, room-foldTurns*turn), floor)
}

func (c *compiler) role(e entry) storage.Role { return c.s.History[e.at].Role }

// historyParts are the history's lines in the ledger.
func (c *compiler) historyParts(v view) []Part {
	if len(v.entries) == 0 {
		return nil
	}
	h := c.s.History
	first, last := &h[v.entries[len(v.entries)-1].at], &h[v.entries[0].at]
	reason := "begins where the last prompt began"
	switch {
	case v.folded:
		reason = "chosen anew: the history had outgrown its room"
	case first.ID != c.s.Window:
		reason = "all there is"
	}
	var parts []Part
	// Depth counts the messages above, so nothing older needs to be looked at.
	if older := max(first.Depth, v.entries[len(v.entries)-1].at); older > 0 {
		parts = append(parts, Part{Layer: LayerHistory, Source: "messages before " + string(first.ID),
			Reason: fmt.Sprintf("%s left the window (no recap covers them)", plural(older, "older message"))})
	}
	parts = append(parts, Part{Layer: LayerHistory, Source: fmt.Sprintf("messages %s to %s", first.ID, last.ID), Included: true,
		Reason: fmt.Sprintf("%s, %s", plural(len(v.entries), "message"), reason), Tokens: v.tokens})
	if v.hidden > 0 {
		parts = append(parts, Part{Layer: LayerHistory, Source: plural(v.hidden, "capture, note or empty message"),
			Reason: "never shown to the model"})
	}
	return parts
}
