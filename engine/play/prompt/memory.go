package prompt

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// RecapBlock is the text of recaps about messages that have left the prompt, and which messages they
// allow to leave.
type RecapBlock struct {
	Text   string // the recap, without tags; "" for none
	Source string // name in the list of parts: "running recap v3 (scenes 1 to 12)"
	// LeftOut are texts that were left out, for example older recaps. The list of parts has them as
	// left-out parts of LayerRecap.
	LeftOut []Part
	Role    string // role of its message; "" is system
	// Depth 0 puts it before the history, where it is read again only when it changes. n > 0 puts
	// it above the last n messages up to the user's newest, like a card's depth prompt: every turn
	// reads it again.
	Depth int

	// Covers is the last message of the covered part of the path, which begins at the root; "" if
	// recaps cover nothing. CoversDepth is its depth, which locates it if Snapshot.History does not
	// contain it.
	Covers      storage.NodeID
	CoversDepth int
	// Gaps are the ended scenes that have no recap.
	Gaps []Gap
	// Open reports that Covers is within the scene that is being played: an interim recap covers
	// its beginning.
	Open bool
	// Keep is the number of newest covered messages that stay in the prompt anyway, so that the
	// voice carries over. It is one more if the kept messages then begin with the user's.
	Keep int
	// Full is the share of its room that the history fills before recapped messages leave it, all
	// in one fold; 0 means 0.8.
	Full float64

	// Recaps are the sources of Text, to be stored with the reply.
	Recaps []storage.RecapID
	// Memories returns the memories that a bullet of Text also states. It may be nil.
	Memories func(bullet string) []storage.MemoryID
	// Recompute returns Text, Source, LeftOut, Recaps and Memories for a prompt whose history begins
	// with a message of this depth: they cover older messages, and repeat nothing that is in the
	// prompt's own messages. nil means that they do not depend on the beginning of the history.
	Recompute func(depth int) RecapBlock
}

// Gap is a scene without a recap: the depth of its last message, and the number of its messages.
type Gap struct{ Depth, Messages int }

// missing returns the number of messages before a depth, in the covered part, that are in scenes
// without a recap.
func (m *RecapBlock) missing(depth int) (n int) {
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

// unrecapped returns the number of messages in ended scenes without a recap that end at or after a
// depth.
func (m *RecapBlock) unrecapped(depth int) (n int) {
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

// recomputed returns m for a prompt whose history begins at a depth. Recompute must not be nil.
func (m *RecapBlock) recomputed(depth int) *RecapBlock {
	now, told := *m, m.Recompute(depth)
	now.Text, now.Source, now.LeftOut, now.Recaps, now.Memories = told.Text, told.Source, told.LeftOut,
		told.Recaps, told.Memories
	return &now
}

// full returns the share of its room at which the history folds.
func (m *RecapBlock) full() float64 {
	if m != nil && m.Full > 0 {
		return m.Full
	}
	return foldAt
}

// The tags around the memory. A job that follows the chat's prompt, and a user who reads it, find
// it by them.
const (
	memoryOpen  = "<roleplay_memory>"
	memoryClose = "</roleplay_memory>"
)

// A recap must not end its own block.
var memoryTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<\s*/?\s*roleplay_memory\b[^<>]*>`)
})

// memoryPlace marks the place of the recap while its prompt file is expanded: macros in the recap
// are not expanded.
const memoryPlace = "\x00memory\x00"

// memory compiles the block with the recaps.
func (c *compiler) memory() block {
	const name = "chat/memory"
	m := c.s.Recap
	if m == nil || m.text() == "" {
		return block{}
	}
	if c.around == "" { // compiled once: the window may need it again with another text
		c.around = c.stable(LayerRecap, "", c.set.Fill(name, map[string]string{"memory": memoryPlace}))
		c.aroundMet = c.lore.met
	}
	c.lore.met = c.aroundMet
	reason := "before the history: processed again only when it changes"
	if c.memoryInside() {
		reason = "" // set with its place
	}
	p, ok := c.piece(LayerRecap, m.source(), reason, memoryBlock(c.around, m.text()))
	if !ok {
		return block{}
	}
	return newBlock(roleOf(m.Role), []piece{p})
}

// memoryBlock puts text at its place in around, or at the end if around has no place for it, and
// makes sure that the tags enclose it.
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

// text returns the memory's text, without tags that would end the block.
func (m *RecapBlock) text() string {
	return strings.TrimSpace(memoryTag().ReplaceAllString(m.Text, " "))
}

// source returns the memory's name in the list of parts.
func (m *RecapBlock) source() string {
	if m.Source == "" {
		return "a recap"
	}
	return m.Source
}

// memoryLeftOut returns the parts for texts that the memory leaves out.
func (c *compiler) memoryLeftOut() []Part {
	if c.s.Recap == nil {
		return nil
	}
	var parts []Part
	for _, p := range c.s.Recap.LeftOut {
		p.Layer, p.Included = LayerRecap, false
		parts = append(parts, p)
	}
	return parts
}

// coverage is the part of a history that recaps cover, and the part of that to keep.
type coverage struct {
	first int // index of the oldest message to keep
	last  int // index of the newest covered message; -1 for none in the history
	depth int // number of covered messages, from the root on
	// known reports that first does not depend on which part of the path was read.
	known bool
}

// coverage returns the coverage of the history by recaps. It looks only at messages up to Covers,
// so that its first message stays the same while the history grows.
func (c *compiler) coverage() coverage {
	m, h := c.s.Recap, c.s.History
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
		keep = 0 // the scene continues after Covers
	}
	if !c.shownIn(last+1, len(h)) {
		keep = max(keep, 1) // the newest message, and the one it answers
	}
	return coverage{first: c.keptFrom(last, keep), last: last, depth: max(h[last].Depth, last) + 1, known: true}
}

// keptFrom returns the index of the oldest of the keep shown messages that end at last. It is one
// message earlier if that message is the user's and the oldest is not.
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

// index returns the index of a message in the history, -1 if it is not there.
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
