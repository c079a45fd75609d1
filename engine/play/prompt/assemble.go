package prompt

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// assemble returns the prompt with its messages in order, and the list of parts.
func (c *compiler) assemble(b blocks, v historyView) Prompt {
	h := c.s.History
	n := len(v.entries)
	p := Prompt{Folded: v.folded, Messages: make([]Message, 0, n+5), Warnings: c.warnings}
	anchor := c.anchor(v)
	inside := c.depths(b, v, anchor)
	p.put(b.system)
	c.putFirst(&p, v)
	p.Parts = append(p.Parts, c.leftOut...)
	if !c.memoryInside() {
		p.put(b.memory)
	}
	p.Parts = append(p.Parts, c.memoryLeftOut()...)
	p.Parts = append(p.Parts, c.loreLeftOut()...)
	p.Parts = append(p.Parts, c.historyParts(v)...)
	p.Parts = append(p.Parts, c.s.Rewritten...)
	p.Tokens += v.tokens
	if n > 0 {
		p.Window = h[v.first()].ID
		p.Covered, p.Uncovered = c.older(v)
		p.Unrecapped = c.s.Recap.unrecapped(h[v.first()].Depth)
		p.LeavesNext = c.leavesNext(&v)
	}
	if c.s.Recap != nil {
		p.Recaps = c.s.Recap.Recaps
	}
	partial := n
	if c.s.Mode == Continue && n > 0 && c.role(v.entries[0]) == storage.Assistant {
		partial = n - 1
	}
	for i := 0; i <= n; i++ { // i counts from the oldest
		for _, in := range inside {
			if in.at == i {
				p.put(in.block)
			}
		}
		if i == anchor {
			p.head = len(p.units)
			p.put(v.tailLore)
			p.put(b.tail)
		}
		if i == partial {
			p.put(b.last)
		}
		if i < n {
			e := v.entries[n-1-i]
			p.put(v.lore[e.at])
			p.say(c.s, &h[e.at], e.cost-e.lore)
		}
	}
	p.Lore = c.lore.stands(h)
	p.Warnings = append(c.warnings, c.outletWarnings(&p, b.system)...)
	p.Warnings = append(p.Warnings, c.s.Warnings...)
	return p
}

// insertedBlock is a block inside the history, before message number at, counted from the oldest.
type insertedBlock struct {
	at    int
	block block
}

func (c *compiler) memoryInside() bool { return c.s.Recap != nil && c.s.Recap.Depth > 0 }

// depths returns the blocks that have a place inside the history, and adds their cost to their
// parts.
func (c *compiler) depths(b blocks, v historyView, anchor int) []insertedBlock {
	var inside []insertedBlock
	place := func(who string, in block, depth int) {
		if len(in.pieces) == 0 || depth <= 0 {
			return
		}
		at := max(0, anchor-depth)
		cost := depthReason(who, depth, c.depthCost(v, in, at, anchor))
		for i := range in.pieces {
			part := &in.pieces[i].part
			if part.Reason != "" {
				part.Reason += "; "
			}
			part.Reason += cost
		}
		inside = append(inside, insertedBlock{at, in})
	}
	if c.memoryInside() {
		place("the setting", b.memory, c.s.Recap.Depth)
	}
	place("the card", b.depth, c.s.Card.DepthPromptDepth)
	for _, l := range b.lore {
		who := "the entry"
		if len(l.pieces) == 1 && l.pieces[0].part.Layer == LayerNote {
			who = "the author's note"
		}
		place(who, l.block, l.depth)
	}
	return inside
}

// anchor returns the position of the tail: the number of history messages before it. It is right
// after the newest user message, or at the end if there is none, but never behind a reply that is
// being continued.
func (c *compiler) anchor(v historyView) int {
	n := len(v.entries)
	for i, e := range v.entries {
		if c.role(e) == storage.User {
			return n - i
		}
	}
	if c.s.Mode == Continue && n > 0 {
		return n - 1
	}
	return n
}

// depthCost returns how many tokens the next turn reads again because a block inside
// the history will have moved.
func (c *compiler) depthCost(v historyView, moves block, from, to int) int {
	cost := moves.tokens()
	for i := from; i < to; i++ {
		e := v.entries[len(v.entries)-1-i]
		cost += e.cost - e.lore + v.lore[e.at].tokens()
	}
	return cost
}

// put adds a block to the prompt, unless it is empty.
func (p *Prompt) put(b block) {
	if len(b.pieces) == 0 {
		return
	}
	m, spans := b.message()
	for i, piece := range b.pieces {
		p.units = append(p.units, promptUnit{layer: piece.part.Layer, source: piece.part.Source, id: piece.id,
			opens: i == 0, stays: piece.stays,
			message: len(p.Messages), from: spans[i][0], to: spans[i][1], tokens: piece.tokens()})
		p.Parts = append(p.Parts, piece.part)
		for _, f := range piece.inside {
			p.Parts = append(p.Parts, f.part)
		}
		p.Tokens += piece.tokens()
	}
	p.Messages = append(p.Messages, m)
}

// say adds a message of the history to the prompt. The list of parts has one entry for all history
// messages.
func (p *Prompt) say(s *Snapshot, n *storage.Node, tokens int) {
	m := Message{Role: string(n.Role), Content: s.said(n)}
	if n.Role == storage.Narrator {
		m.Role = string(storage.System)
	}
	p.units = append(p.units, promptUnit{layer: LayerHistory, source: string(n.ID), id: string(n.ID), opens: true,
		message: len(p.Messages), to: len(m.Content), tokens: tokens})
	p.Messages = append(p.Messages, m)
}

// said returns a message as the model reads it: a narrator's message is marked as such, and a
// whispered one is preceded by a line that names its hearers.
func (s *Snapshot) said(n *storage.Node) string {
	content := n.Content
	if n.Role == storage.Narrator {
		content = narrated(n)
	}
	if mark := s.Whispers[n.ID]; mark != "" {
		return mark + "\n" + content
	}
	return content
}

// NarratorName is the name of a narrator without a name.
const NarratorName = "Narrator"

// narrated returns a narrator's message, marked as such.
func narrated(n *storage.Node) string {
	name := label(n.Name)
	if name == "" || name == NarratorName {
		return NarratorName + ": " + n.Content
	}
	return name + " (narrator): " + n.Content
}
