package script

import (
	"fmt"
	"slices"

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

// Messages that a fold has dropped come back only where they leave this share
// of the room free for what follows, so that they do not drop out again at once.
const backFree = 0.18

// entry is a message of the history that may go into the prompt.
type entry struct {
	at    int // index in Snapshot.History
	cost  int // tokens, its role's marks included, and those of the lore before it
	lore  int // tokens of the lore that has stood before it
	slack int // those of them that go when all is read anew
}

// lighter are entries without what goes when all is read anew.
func lighter(entries []entry) []entry {
	light := slices.Clone(entries)
	for i := range light {
		e := &light[i]
		e.cost, e.lore, e.slack = e.cost-e.slack, e.lore-e.slack, 0
	}
	return light
}

// gone is what of an entry's cost goes with the lore that stands before messages
// older than from.
func (e entry) gone(from int) int {
	if e.at < from {
		return e.lore
	}
	return 0
}

// view is the history that goes into the prompt.
type view struct {
	entries []entry       // newest first
	tokens  int           // of the messages alone
	lore    map[int]block // what stands before a message, by its index
	// What lore stands before older messages than the one at loreFrom has left
	// the prompt, or has moved.
	loreFrom int
	// cleared tells that the notes are gone that nothing asks for now, since what
	// stands behind the system message is read anew anyway.
	cleared bool
	// tailLore is the lore that would stand before the newest message, where
	// there is none.
	tailLore block
	hidden   int // messages inside it that no model is shown
	kept     int // messages in it that recaps cover
	covered  coverage
	folded   bool
	reason   string // why it begins where it does
}

// first is the index of its oldest message. It must not be empty.
func (v *view) first() int { return v.entries[len(v.entries)-1].at }

// shown tells whether a model is shown a message: what was said by the user or
// the character, and nothing else.
func shown(n *storage.Node) bool {
	return !n.Deleted && n.Content != "" && (n.Role == storage.User || n.Role == storage.Assistant)
}

// window chooses the history, beginning with the oldest message that should
// stay: the first that recaps do not cover, and the few before it that Memory
// keeps. Coverage that has grown thus takes out whole scenes at once; where it
// has shrunk, messages come back.
//
// What does not fit is cut further: to where the last prompt began, as long as
// that fits, else by a fold. From a fold on, the window stays where it is until
// the older messages fit again with room to spare, or coverage has overtaken it.
//
// Where nothing tells what should stay, that is what the last prompt began with.
//
// Lore that stays counts with the message before which it stands. What of it
// moves to the newest message takes room from the history, which may leave more
// messages behind, and lore with them: the window is chosen again, never back to
// older messages, until nothing more moves. Where so much lore is gone with them
// that the messages alone would be back on the next turn, they stay at once.
//
// A prompt whose window is chosen anew also drops the notes inside it that nothing
// asks for now: all behind the system message is read again anyway.
func (c *compiler) window(blocks []block) (view, error) {
	fixed := 0
	for _, b := range blocks {
		fixed += b.tokens()
	}
	limit := c.s.Limits.room()
	v := view{covered: c.coverage()}
	began := c.began()
	first := v.covered.first
	if !v.covered.known && began >= 0 {
		first = began
	}
	known := v.covered.known || began >= 0 || !c.s.More
	moved := c.moved(0)
	walked := c.walk(first, limit-fixed-moved)
	byRoom := false
	if v.cleared = c.leaves(first, began); v.cleared {
		walked = lighter(walked)
	}
	for {
		entries, cut := c.choose(walked, limit-fixed-moved, first, began, known)
		byRoom = byRoom || cut
		if v.entries = since(entries, v.loreFrom); len(v.entries) > 0 {
			v.loreFrom = v.first()
		}
		again := c.moved(v.loreFrom)
		if again == moved {
			break
		}
		moved = again
	}
	if byRoom && !v.cleared {
		v.cleared, walked = true, lighter(walked)
		v.entries = since(walked, v.loreFrom)
	}
	if v.covered.known && !(c.appended() && began > first && v.loreFrom <= began) && c.backAtOnce(walked, v.loreFrom, first, limit-fixed, moved) {
		v.entries, byRoom = since(walked, first), false
	}
	total := fixed + moved
	for _, e := range v.entries {
		total += e.cost - e.gone(v.loreFrom)
	}
	if total > limit {
		return view{}, c.tooLong(total, limit, v, blocks)
	}
	for _, e := range v.entries {
		v.tokens += e.cost - e.lore
	}
	c.settleLore(&v)
	c.describe(&v, began, byRoom)
	return v, nil
}

// appended tells whether the prompt is for a request on a turn that is answered. It
// does not have messages back that the turn was without: its room may be another.
func (c *compiler) appended() bool { return c.s.Appended != "" }

// leaves tells whether a window that begins at first leaves messages behind that
// were in the last prompt, or were never in one.
func (c *compiler) leaves(first, began int) bool {
	return first > began && (began >= 0 || c.s.More || c.shownIn(0, first))
}

// backAtOnce tells whether all walked messages from first on fit with room to
// spare without the lore that stood before messages older than from.
func (c *compiler) backAtOnce(walked []entry, from, first, room, moved int) bool {
	if len(c.lore.stood) == 0 || len(walked) == 0 || c.shownIn(first, walked[len(walked)-1].at) {
		return false
	}
	total := moved
	for _, e := range walked {
		total += e.cost - e.gone(from)
	}
	return float64(total) <= float64(room)*(1-backFree)
}

// choose picks the newest of the walked entries, which reach back to first or
// are more than room holds. cut tells that it was for want of room.
func (c *compiler) choose(walked []entry, room, first, began int, known bool) (entries []entry, cut bool) {
	entries, total := within(walked, room)
	fits := total <= room || len(entries) == 0
	again := began > first && (fits || entries[len(entries)-1].at < began)
	switch {
	case again && (!fits || c.appended() || float64(total) > float64(room)*(1-backFree)):
		return since(entries, began), false
	case !fits, !known:
		light, _ := within(lighter(walked), room)
		return c.fold(light, room), true
	}
	return entries, false
}

// began is the index of the message that the last prompt's history began with,
// or of the next one shown; -1 where it is not at hand.
func (c *compiler) began() int {
	i := c.index(c.s.Window)
	for i >= 0 && !shown(&c.s.History[i]) {
		if i++; i == len(c.s.History) {
			return -1
		}
	}
	return i
}

// walk counts messages from the newest back to the one at first, and no more
// than one beyond what room holds without any lore.
func (c *compiler) walk(first, room int) (entries []entry) {
	h, total := c.s.History, 0
	for i := len(h) - 1; i >= first; i-- {
		if !shown(&h[i]) {
			continue
		}
		lore := c.lore.stood[i]
		e := entry{at: i, cost: c.count(h[i].Content) + messageTokens + lore, lore: lore, slack: c.lore.slack[i]}
		entries = append(entries, e)
		if total += e.cost - lore; total > room {
			break
		}
	}
	return entries
}

// within are the newest entries up to the first one beyond what room holds, and
// their tokens.
func within(entries []entry, room int) (in []entry, total int) {
	for i, e := range entries {
		if total += e.cost; total > room {
			return entries[:i+1], total
		}
	}
	return entries, total
}

// since are the entries from the one at first on.
func since(entries []entry, first int) []entry {
	n := len(entries)
	for n > 0 && entries[n-1].at < first {
		n--
	}
	return entries[:n]
}

// describe tells what became of the window: began is where the last prompt
// began, byRoom whether it was chosen for want of room.
func (c *compiler) describe(v *view, began int, byRoom bool) {
	if len(v.entries) == 0 {
		return
	}
	h, first := c.s.History, v.first()
	for i := first; i < len(h); i++ {
		if !h[i].Deleted && !shown(&h[i]) {
			v.hidden++
		}
	}
	for _, e := range v.entries {
		if e.at <= v.covered.last {
			v.kept++
		}
	}
	v.folded = c.leaves(first, began)
	switch {
	case first == began:
		v.reason = "begins where the last prompt began"
	case byRoom:
		v.reason = "chosen anew: the history had outgrown its room"
	case v.folded:
		v.reason = "chosen anew: what is older is covered"
	case began >= 0:
		v.reason = "older ones are back: no recap covers them, and they have room"
	default:
		v.reason = "all there is"
	}
	switch {
	case v.loreFrom > first:
		v.reason += ", older lore has made room"
	case v.cleared && !v.folded && len(c.lore.dropped) > 0:
		v.reason += ", notes that nothing asks for have made room"
	}
	if v.kept > 0 && v.kept < len(v.entries) {
		v.reason += ", with " + plural(v.kept, "covered one") + " kept for the voice"
	}
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

// older counts the messages of the path above the window, by whether recaps
// cover them. Depth counts the messages above one, so none of them is looked at
// but those right above the window that no model is ever shown: nothing is lost
// with them.
func (c *compiler) older(v view) (covered, uncovered int) {
	first := v.first()
	all := max(c.s.History[first].Depth, first)
	covered = min(all, v.covered.depth)
	uncovered = all - covered
	for i := first - 1; i > v.covered.last && uncovered > 0 && !shown(&c.s.History[i]); i-- {
		uncovered--
	}
	return covered, uncovered
}

// historyParts are the history's lines in the ledger.
func (c *compiler) historyParts(v view) []Part {
	if len(v.entries) == 0 {
		return nil
	}
	h := c.s.History
	first, last := &h[v.first()], &h[v.entries[0].at]
	parts := c.leftParts(v)
	parts = append(parts, Part{Layer: LayerHistory, Source: fmt.Sprintf("messages %s to %s", first.ID, last.ID), Included: true,
		Reason: fmt.Sprintf("%s, %s", plural(len(v.entries), "message"), v.reason), Tokens: v.tokens})
	if v.hidden > 0 {
		parts = append(parts, Part{Layer: LayerHistory, Source: plural(v.hidden, "capture, note or empty message"),
			Reason: "never shown to the model"})
	}
	return parts
}

// leftParts say what became of the messages above the window.
func (c *compiler) leftParts(v view) []Part {
	var parts []Part
	covered, uncovered := c.older(v)
	before := "messages before " + string(c.s.History[v.first()].ID)
	if covered > 0 {
		m := c.s.Memory
		source, are := before, "are"
		if uncovered > 0 {
			source = "messages up to " + string(m.Covers)
		}
		if covered == 1 {
			are = "is"
		}
		reason := fmt.Sprintf("%s %s covered by %s", plural(covered, "older message"), are, m.source())
		if m.text() == "" {
			reason += ", which is not in the prompt"
		}
		parts = append(parts, Part{Layer: LayerHistory, Source: source, Reason: reason})
	}
	if uncovered > 0 {
		source, them := before, "them"
		if covered > 0 {
			source = fmt.Sprintf("messages after %s, before %s", c.s.Memory.Covers, c.s.History[v.first()].ID)
		}
		if uncovered == 1 {
			them = "it"
		}
		parts = append(parts, Part{Layer: LayerHistory, Source: source,
			Reason: fmt.Sprintf("%s left the window and no recap covers %s", plural(uncovered, "older message"), them)})
	}
	return parts
}
