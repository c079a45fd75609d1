package prompt

import (
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// backFree is the share of the room that must stay free if messages come back that a fold has
// dropped, so that they do not drop out again immediately.
const backFree = 0.18

// entry is a message of the history that may go into the prompt.
type entry struct {
	at    int // index in Snapshot.History
	cost  int // tokens, with its role's markers and the lore before it
	lore  int // tokens of the lore before it
	slack int // tokens of that lore that leaves when all is read again
}

// lighter returns entries without the lore that leaves when all is read again.
func lighter(entries []entry) []entry {
	light := slices.Clone(entries)
	for i := range light {
		e := &light[i]
		e.cost, e.lore, e.slack = e.cost-e.slack, e.lore-e.slack, 0
	}
	return light
}

// gone returns the tokens of an entry's lore if its message is older than from, so that the lore
// leaves the prompt; else 0.
func (e entry) gone(from int) int {
	if e.at < from {
		return e.lore
	}
	return 0
}

// historyView is the history that goes into the prompt.
type historyView struct {
	entries []entry       // newest first
	tokens  int           // of the messages alone
	lore    map[int]block // lore before a message, by the message's index
	// Lore before messages older than the one at loreFrom has left the prompt, or has moved.
	loreFrom int
	// cleared reports that unused notes were removed, because everything after the system message
	// is read again anyway.
	cleared bool
	// tailLore is the lore for the place before the newest message, if there is no message.
	tailLore block
	hidden   int // messages inside it that are not shown to a model
	kept     int // messages in it that recaps cover
	covered  coverage
	cut      cutReason // why messages of the last prompt are missing
	folded   bool
	reason   string // why it begins at its first message

	fixed, total int // tokens outside the history, and of the whole prompt
}

// first returns the index of its oldest message. It must not be empty.
func (v *historyView) first() int { return v.entries[len(v.entries)-1].at }

// Shown reports whether a message is shown to a model.
func Shown(n *storage.Node) bool { return shown(n) }

// shown reports whether a message is shown to a model: only messages of the user, the characters
// and a narrator are, if they are not deleted or empty.
func shown(n *storage.Node) bool {
	return !n.Deleted && n.Content != "" && n.Role.InPrompt()
}

// window chooses the history. It keeps the beginning of the last prompt while the history is less
// than full: recapped messages stay too, since no recap is as good as the words themselves. Older
// messages come back if no recap covers them any more and they fit with room to spare.
//
// Once the history is full, recapped messages leave in one fold. If that would free too little, the
// fold waits until the room is used up. Messages without a recap leave only if there is no other
// way. The text of the memory is chosen with the window, and stays with it: a new recap alone
// changes nothing.
//
// Lore that stays counts with the message that it precedes. Lore that moves to the newest message
// takes room from the history, so more messages may have to leave, and lore with them. The window
// is therefore chosen again, never back to older messages, until nothing more moves. If the removed
// lore is so large that the messages alone would come back on the next turn, they stay immediately.
//
// A prompt with a new window also drops the notes in the history that are not in use: everything
// after the system message is read again anyway.
func (c *compiler) window(b *blocks) (historyView, error) {
	c.covered = c.coverage()
	began, start := c.firstInLastPrompt(), 0
	if began >= 0 {
		start = began
		if c.covered.known && c.shownIn(c.covered.last+1, began) {
			start = min(began, c.covered.first)
		}
	}
	memory := c.s.Recap
	v := c.fit(b.tokens(), start, began, false)
	for range maxRecomputed {
		if len(v.entries) == 0 || v.first() == began {
			break
		}
		if c.retell(b, &v, memory); v.total <= c.s.Limits.budget() {
			break
		}
		v = c.fit(b.tokens(), v.first(), began, true)
	}
	if limit := c.s.Limits.budget(); v.total > limit {
		err := c.tooLong(v.total, limit, v, b.all())
		c.s.Recap = memory
		b.memory = c.memory()
		c.untellStays()
		return historyView{}, err
	}
	for _, e := range v.entries {
		v.tokens += e.cost - e.lore
	}
	c.settleLore(&v, v.cleared || memory != nil && !c.memoryInside() && c.s.Recap.text() != memory.text())
	c.describe(&v, began)
	return v, nil
}

// maxRecomputed is how often the window is chosen again because the memory and lore that belong to
// it are longer than before.
const maxRecomputed = 3

// retell compiles the memory and the lore that stays again, for a history that begins elsewhere
// than the last prompt's.
func (c *compiler) retell(b *blocks, v *historyView, memory *RecapBlock) {
	depth := c.s.History[v.first()].Depth
	if memory != nil && memory.Recompute != nil {
		c.s.Recap = memory.recomputed(depth)
		b.memory = c.memory()
	}
	if c.lore.hasVariants() {
		c.retellStays(depth)
		for i := range v.entries {
			e := &v.entries[i]
			e.cost -= e.lore
			if e.lore, e.slack = c.lore.stood[e.at], c.lore.slack[e.at]; v.cleared {
				e.lore, e.slack = e.lore-e.slack, 0
			}
			e.cost += e.lore
		}
	}
	v.fixed = b.tokens()
	v.total = v.fixed + c.moved(v.loreFrom) + withoutGone(v.entries, v.loreFrom)
}

// fit chooses the history from the message at start on, with fixed tokens used by the rest of the
// prompt. settled means that fullness was checked before, and all messages from start on stay if
// they fit.
func (c *compiler) fit(fixed, start, began int, settled bool) historyView {
	limit := c.s.Limits.budget()
	v := historyView{covered: c.covered, fixed: fixed, loreFrom: 0}
	known := c.covered.known || began >= 0 || !c.s.More
	moved := c.moved(0)
	walked := c.walk(start, limit-fixed-moved)
	for {
		entries, cut := c.choose(walked, limit-fixed-moved, start, began, known, settled)
		v.cut = max(v.cut, cut)
		if v.entries = since(entries, v.loreFrom); len(v.entries) > 0 {
			v.loreFrom = v.first()
		}
		again := c.moved(v.loreFrom)
		if again == moved {
			break
		}
		moved = again
	}
	if v.cut != uncut {
		v.cleared, walked = true, lighter(walked)
		v.entries = since(walked, v.loreFrom)
	}
	first := max(start, v.covered.first)
	if v.cut == byBudget && v.covered.known && !(c.appended() && began > first && v.loreFrom <= began) &&
		c.fitsWithoutLore(walked, v.loreFrom, first, limit-fixed, moved) {
		v.entries, v.cut = since(walked, first), uncut
	}
	v.total = fixed + moved + withoutGone(v.entries, v.loreFrom)
	return v
}

// appended reports whether the prompt is for a request about an answered turn. Its room may differ
// from the turn's, so messages that the turn did not have do not come back for it.
func (c *compiler) appended() bool { return c.s.Appended != "" }

// dropsMessages reports whether a window that begins at first leaves out messages that were in the
// last prompt, or were never in one.
func (c *compiler) dropsMessages(first, began int) bool {
	return first > began && (began >= 0 || c.s.More || c.shownIn(0, first))
}

// fitsWithoutLore reports whether all walked messages from first on fit with room to spare if the
// lore before messages older than from is gone.
func (c *compiler) fitsWithoutLore(walked []entry, from, first, budget, moved int) bool {
	if len(c.lore.stood) == 0 || len(walked) == 0 || c.shownIn(first, walked[len(walked)-1].at) {
		return false
	}
	return float64(moved+withoutGone(since(walked, first), from)) <= float64(budget)*c.back()
}

// back returns the share of the room that the history may fill with messages that come back.
func (c *compiler) back() float64 { return c.s.Recap.full() - backFree }

// cutReason is the reason why messages are left out of a history.
type cutReason int

const (
	uncut    cutReason = iota
	byRecap            // recaps cover them, and the history was full
	byBudget           // they do not fit
)

// choose selects the newest of the walked entries, which reach back to start or exceed the room.
func (c *compiler) choose(walked []entry, budget, start, began int, known, settled bool) ([]entry, cutReason) {
	entries, total := within(walked, budget)
	fits := total <= budget || len(entries) == 0
	if began > start && (fits || entries[len(entries)-1].at < began) &&
		(!fits || c.appended() || float64(withoutGone(entries, began)) > float64(budget)*c.back()) {
		walked = since(walked, began)
		entries, total, fits = walked, sum(walked), true
	}
	stays := fits && known
	if stays && (settled || c.appended() || float64(total-c.unanswered(walked)) <= float64(budget)*c.s.Recap.full()) {
		return entries, uncut
	}
	light, _ := within(lighter(walked), budget)
	if told := c.withoutRecapped(light, budget); told != nil {
		left := sum(told)
		if stays && left <= (total+c.target(light, budget))/2 || !stays && left <= budget {
			return told, byRecap
		}
	}
	if stays {
		return entries, uncut
	}
	return c.foldHistory(light, budget), byBudget
}

// withoutGone returns the tokens of entries without the lore before messages older than the one at
// from: the next prompt does not have it.
func withoutGone(entries []entry, from int) (total int) {
	for _, e := range entries {
		total += e.cost - e.gone(from)
	}
	return total
}

// firstInLastPrompt returns the index of the first message in the last prompt's history, or of the
// next one shown; -1 if it is not in the history.
func (c *compiler) firstInLastPrompt() int {
	i := c.index(c.s.Window)
	for i >= 0 && !shown(&c.s.History[i]) {
		if i++; i == len(c.s.History) {
			return -1
		}
	}
	return i
}

// walk returns entries from the newest message back to the one at first, but at most one more than
// fits without any lore.
func (c *compiler) walk(first, budget int) (entries []entry) {
	h, total := c.s.History, 0
	for i := len(h) - 1; i >= first; i-- {
		if !shown(&h[i]) {
			continue
		}
		lore := c.lore.stood[i]
		e := entry{at: i, cost: c.sizeOf(&h[i]) + lore, lore: lore, slack: c.lore.slack[i]}
		entries = append(entries, e)
		if total += e.cost - lore; total > budget {
			break
		}
	}
	return entries
}

// within returns the newest entries up to the first one that does not fit, and their tokens.
func within(entries []entry, budget int) (in []entry, total int) {
	for i, e := range entries {
		if total += e.cost; total > budget {
			return entries[:i+1], total
		}
	}
	return entries, total
}

// since returns the entries from the one at first on.
func since(entries []entry, first int) []entry {
	n := len(entries)
	for n > 0 && entries[n-1].at < first {
		n--
	}
	return entries[:n]
}

// describe sets the counts and the reason of the window. began is the beginning of the last
// prompt's history.
func (c *compiler) describe(v *historyView, began int) {
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
	v.folded = c.dropsMessages(first, began)
	switch {
	case first == began:
		v.reason = "starts where the last prompt started"
	case v.cut == byBudget:
		v.reason = "new start: the history did not fit"
	case v.cut == byRecap:
		v.reason = fmt.Sprintf("new start: the history was %.0f %% full, and older messages are covered by recaps",
			100*c.s.Recap.full())
	case began >= 0:
		v.reason = "older messages included: no recap covers them, and they fit"
	default:
		v.reason = "all messages"
	}
	switch {
	case v.loreFrom > first:
		v.reason += ", older lore was removed"
	case v.cleared && !v.folded && c.lore.dropped:
		v.reason += ", notes not in use were removed"
	}
	if v.kept > 0 && v.kept < len(v.entries) {
		v.reason += ", with " + plural(v.kept, "covered one") + " that still fit"
	}
}

// older counts the messages of the path above the window, by whether recaps cover them. It uses
// depths, so deleted messages and the like count too; only those directly above the window that are
// not shown to a model are subtracted, as nothing is lost with them.
func (c *compiler) older(v historyView) (covered, uncovered int) {
	first := v.first()
	all := max(c.s.History[first].Depth, first) - len(c.firstBefore(v))
	covered = min(all, v.covered.depth)
	uncovered = all - covered
	for i := first - 1; i > v.covered.last && uncovered > 0 && !shown(&c.s.History[i]); i-- {
		uncovered--
	}
	missing := min(covered, c.s.Recap.missing(c.s.History[first].Depth))
	return covered - missing, uncovered + missing
}

// historyParts returns the history's parts.
func (c *compiler) historyParts(v historyView) []Part {
	if len(v.entries) == 0 {
		return nil
	}
	h := c.s.History
	first, last := &h[v.first()], &h[v.entries[0].at]
	parts := c.leftParts(v)
	parts = append(parts, Part{Layer: LayerHistory, Source: fmt.Sprintf("messages %s to %s", first.ID, last.ID),
		Included: true,
		Reason:   fmt.Sprintf("%s, %s", plural(len(v.entries), "message"), v.reason), Tokens: v.tokens})
	if v.hidden > 0 {
		parts = append(parts, Part{Layer: LayerHistory, Source: plural(v.hidden, "capture, note or empty message"),
			Reason: "never sent to the model"})
	}
	return parts
}

// leftParts returns parts about the messages above the window.
func (c *compiler) leftParts(v historyView) []Part {
	var parts []Part
	covered, uncovered := c.older(v)
	before := "messages before " + string(c.s.History[v.first()].ID)
	if covered > 0 {
		m := c.s.Recap
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
			source = "others of the " + before
		}
		if uncovered == 1 {
			them = "it"
		}
		parts = append(parts, Part{Layer: LayerHistory, Source: source,
			Reason: fmt.Sprintf("%s left the context and no recap covers %s",
				plural(uncovered, "older message"), them)})
	}
	return parts
}
