package script

import (
	"ghostlight/storage"
)

// assemble puts the messages in their order and writes the ledger.
func (c *compiler) assemble(b blocks, v view) Prompt {
	h := c.s.History
	n := len(v.entries)
	p := Prompt{Folded: v.folded, Messages: make([]Message, 0, n+5), Warnings: c.warnings}
	anchor := c.anchor(v)
	memoryAt, depthAt := c.depths(&b, v, anchor)
	p.put(b.system)
	if memoryAt < 0 {
		p.put(b.memory)
	}
	p.Ledger = append(p.Ledger, c.memoryLeftOut()...)
	p.Ledger = append(p.Ledger, c.historyParts(v)...)
	p.Tokens += v.tokens
	if n > 0 {
		p.Window = h[v.first()].ID
		p.Covered, p.Uncovered = c.older(v)
	}
	partial := n
	if c.s.Mode == Continue && n > 0 && c.role(v.entries[0]) == storage.Assistant {
		partial = n - 1
	}
	for i := 0; i <= n; i++ { // i counts from the oldest
		if i == memoryAt {
			p.put(b.memory)
		}
		if i == depthAt {
			p.put(b.depth)
		}
		if i == anchor {
			p.put(b.tail)
		}
		if i == partial {
			p.put(b.last)
		}
		if i < n {
			node := &h[v.entries[n-1-i].at]
			p.Messages = append(p.Messages, Message{Role: string(node.Role), Content: node.Content})
		}
	}
	return p
}

// depths are the places inside the history that the memory and the card's depth
// prompt ask for, -1 for none, and writes what they cost into the ledger.
func (c *compiler) depths(b *blocks, v view, anchor int) (memoryAt, depthAt int) {
	place := func(who string, in block, depth int) int {
		if len(in.pieces) == 0 || depth <= 0 {
			return -1
		}
		at := max(0, anchor-depth)
		in.pieces[0].part.Reason = depthReason(who, depth, c.depthCost(v, in, at, anchor))
		return at
	}
	memoryAt = -1
	if c.s.Memory != nil {
		memoryAt = place("the setting", b.memory, c.s.Memory.Depth)
	}
	return memoryAt, place("the card", b.depth, c.s.Card.DepthPromptDepth)
}

// anchor is the place of the tail: how many messages of the history stand
// before it. It is right after the newest user message, or at the end where
// there is none, but never behind a reply that is to be continued.
func (c *compiler) anchor(v view) int {
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

// depthCost is how many tokens the next turn reads again because a block inside
// the history will have moved.
func (c *compiler) depthCost(v view, moves block, from, to int) int {
	cost := moves.tokens()
	for i := from; i < to; i++ {
		cost += v.entries[len(v.entries)-1-i].cost
	}
	return cost
}

// put adds a block to the prompt, unless it is empty.
func (p *Prompt) put(b block) {
	if len(b.pieces) == 0 {
		return
	}
	p.Messages = append(p.Messages, b.message())
	for _, piece := range b.pieces {
		p.Ledger = append(p.Ledger, piece.part)
		p.Tokens += piece.part.Tokens
	}
}
