package script

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Memory is what recaps tell of messages that have left the prompt, and which
// messages they allow to leave.
type Memory struct {
	Text   string // the recap, without tags; "" where there is nothing to tell
	Source string // names it in the ledger: "running recap v3 (scenes 1 to 12)"
	// LeftOut is what might have been told but is not, older recaps for one. It
	// goes into the ledger as it is, as parts of LayerMemory left out.
	LeftOut []Part
	Role    string // who speaks it; "" is system
	// Depth 0 puts it before the history, where it is read again only when it
	// changes. n > 0 puts it above the last n of the messages that end with the
	// user's newest, like a card's depth prompt: every turn reads it again.
	Depth int

	// Covers is the last message up to which recaps tell of all that was said,
	// from the path's beginning on; "" where there is none. CoversDepth is its
	// depth, which tells where it is when Snapshot.History does not hold it.
	Covers      storage.NodeID
	CoversDepth int
	// Gaps are the ended scenes that have no recap.
	Gaps []Gap
	// Open says that Covers lies within the scene that is being played: an interim recap
	// tells how it began.
	Open bool
	// Keep is how many of the newest messages that are covered stay in the
	// prompt all the same, so that the voice carries over. It is one more where
	// they then begin with the user's.
	Keep int
	// Full is the share of its room that the history fills before messages that
	// recaps tell leave it, all in one fold; 0 is 0.8.
	Full float64

	// Recaps are what Text was taken from, to be kept on the reply.
	Recaps []storage.RecapID
	// Memories gives the memories that a bullet of Text tells too. It may be nil.
	Memories func(bullet string) []storage.MemoryID
	// Anew gives Text, Source, LeftOut, Recaps and Memories for a prompt whose history begins
	// with a message of this depth: what older messages said, and nothing that the
	// prompt's own messages say. nil: they are the same wherever it begins.
	Anew func(depth int) Memory
}

// Gap is a scene that no recap tells: the depth of its last message, and how many were said
// in it.
type Gap struct{ Depth, Messages int }

// missing returns how many messages before a depth lie in scenes that no recap tells.
func (m *Memory) missing(depth int) (n int) {
	if m == nil {
		return 0
	}
	for _, g := range m.Gaps {
		if g.Depth < depth && g.Depth <= m.CoversDepth {
			n += g.Messages
		}
	}
	return n
}

// unrecapped returns how many messages from a depth on lie in ended scenes that no recap tells.
func (m *Memory) unrecapped(depth int) (n int) {
	if m == nil {
		return 0
	}
	for _, g := range m.Gaps {
		if g.Depth >= depth {
			n += g.Messages
		}
	}
	return n
}

// recomputed returns m for a prompt whose history begins at a depth.
func (m *Memory) recomputed(depth int) *Memory {
	now, told := *m, m.Anew(depth)
	now.Text, now.Source, now.LeftOut, now.Recaps, now.Memories = told.Text, told.Source, told.LeftOut,
		told.Recaps, told.Memories
	return &now
}

// full returns the share of its room at which the history folds.
func (m *Memory) full() float64 {
	if m != nil && m.Full > 0 {
		return m.Full
	}
	return foldAt
}

// The tags around the memory. A job that follows the chat's prompt, and a user
// who reads it, find it by them.
const (
	memoryOpen  = "<roleplay_memory>"
	memoryClose = "</roleplay_memory>"
)

// A recap must not end its own block.
var memoryTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<\s*/?\s*roleplay_memory\b[^<>]*>`)
})

// Where the recap goes while the prompt file around it is expanded: what a
// recap holds is told as it is, macros included.
const memoryPlace = "\x00memory\x00"

// memory compiles the block that tells what recaps cover.
func (c *compiler) memory() block {
	const name = "chat/memory"
	m := c.s.Memory
	if m == nil || m.text() == "" {
		return block{}
	}
	if c.around == "" { // the window may ask for it again, with another text
		c.around = c.stable(LayerMemory, "", c.set.Fill(name, map[string]string{"memory": memoryPlace}))
		c.aroundMet = c.lore.met
	}
	c.lore.met = c.aroundMet
	reason := "before the history: processed again only when it changes"
	if c.memoryInside() {
		reason = "" // its place will tell
	}
	p, ok := c.piece(LayerMemory, m.source(), reason, memoryBlock(c.around, m.text()))
	if !ok {
		return block{}
	}
	return newBlock(roleOf(m.Role), []piece{p})
}

// memoryBlock puts text in its place in around, at the end where around has no
// place for it, and sees to it that the tags stand around it.
func memoryBlock(around, text string) string {
	if !strings.Contains(around, memoryPlace) {
		around = strings.TrimSpace(memoryTag().ReplaceAllString(around, " ")) + "\n\n" + memoryPlace
	}
	if before, _, _ := strings.Cut(around, memoryPlace); !strings.Contains(before, memoryOpen) {
		around = memoryOpen + "\n" + around
	}
	if after := around[strings.LastIndex(around, memoryPlace):]; !strings.Contains(after, memoryClose) {
		around += "\n" + memoryClose
	}
	return strings.ReplaceAll(around, memoryPlace, text)
}

// text returns what is told, without anything that would end the block.
func (m *Memory) text() string {
	return strings.TrimSpace(memoryTag().ReplaceAllString(m.Text, " "))
}

// source names the memory in the ledger.
func (m *Memory) source() string {
	if m.Source == "" {
		return "a recap"
	}
	return m.Source
}

// memoryLeftOut returns the ledger's lines for what the memory does not tell.
func (c *compiler) memoryLeftOut() []Part {
	if c.s.Memory == nil {
		return nil
	}
	var parts []Part
	for _, p := range c.s.Memory.LeftOut {
		p.Layer, p.Included = LayerMemory, false
		parts = append(parts, p)
	}
	return parts
}

// coverage is how much of a history recaps cover, and what of it is to stay.
type coverage struct {
	first int // index of the oldest message that has to stay
	last  int // index of the newest message that is covered; -1 for none at hand
	depth int // how many messages are covered, from the path's beginning on
	// known tells that first is where it is whatever part of the path is at hand.
	known bool
}

// coverage finds what recaps cover. It looks only at messages up to Covers, so
// that its first message stays the same while the history grows.
func (c *compiler) coverage() coverage {
	m, h := c.s.Memory, c.s.History
	switch {
	case m == nil:
		return coverage{last: -1}
	case m.Covers == "" || len(h) == 0:
		return coverage{last: -1, known: !c.s.More}
	}
	last := c.index(m.Covers)
	switch newest := len(h) - 1; {
	case last >= 0:
	case m.CoversDepth > h[newest].Depth:
		last = newest
	case c.s.More && m.CoversDepth < h[0].Depth:
		return coverage{last: -1, depth: m.CoversDepth + 1}
	default:
		return coverage{last: -1, known: !c.s.More}
	}
	keep := max(m.Keep, 0)
	if m.Open {
		keep = 0 // the scene goes on behind it
	}
	if !c.shownIn(last+1, len(h)) {
		keep = max(keep, 1) // the newest message, and what it answers
	}
	return coverage{first: c.keptFrom(last, keep), last: last, depth: max(h[last].Depth, last) + 1, known: true}
}

// keptFrom goes back from last over so many messages that were said, and over
// one more where that one is the user's and the oldest of them is not.
func (c *compiler) keptFrom(last, keep int) int {
	h := c.s.History
	first, begins := last+1, storage.Role("")
	for i, n := last, 0; i >= 0 && n <= keep; i-- {
		if !shown(&h[i]) {
			continue
		}
		if n++; n <= keep || begins != storage.User && h[i].Role == storage.User {
			first, begins = i, h[i].Role
		}
	}
	return first
}

// index finds a message in the history, -1 where it is not there.
func (c *compiler) index(id storage.NodeID) int {
	for i := len(c.s.History) - 1; i >= 0 && id != ""; i-- {
		if c.s.History[i].ID == id {
			return i
		}
	}
	return -1
}

// shownIn reports whether any message in History[from:to] is shown to a model.
func (c *compiler) shownIn(from, to int) bool {
	for i := from; i < to; i++ {
		if shown(&c.s.History[i]) {
			return true
		}
	}
	return false
}
