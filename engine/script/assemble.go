package script

import (
	"ghostlight/storage"
)

// assemble puts the messages in their order and writes the ledger.
func (c *compiler) assemble(system, tail, depth, last block, v view) Prompt {
	h := c.s.History
	n := len(v.entries)
	p := Prompt{Folded: v.folded, Messages: make([]Message, 0, n+4)}
	p.put(system)
	p.Ledger = append(p.Ledger, c.historyParts(v)...)
	p.Tokens += v.tokens
	if n > 0 {
		p.Window = h[v.entries[n-1].at].ID
	}

	anchor := c.anchor(v)
	partial := n
	if c.s.Mode == Continue && n > 0 && c.role(v.entries[0]) == storage.Assistant {
		partial = n - 1
	}
	depthAt := -1
	if len(depth.pieces) > 0 {
		depthAt = max(0, anchor-c.s.Card.DepthPromptDepth)
		depth.pieces[0].part.Reason = depthReason(c.s.Card.DepthPromptDepth, c.depthCost(v, depth, depthAt, anchor))
	}
	for i := 0; i <= n; i++ { // i counts from the oldest
		if i == depthAt {
			p.put(depth)
		}
		if i == anchor {
			p.put(tail)
		}
		if i == partial {
			p.put(last)
		}
		if i < n {
			node := &h[v.entries[n-1-i].at]
			p.Messages = append(p.Messages, Message{Role: string(node.Role), Content: node.Content})
		}
	}
	p.Warnings = c.warnings
	return p
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

// depthCost is how many tokens the next turn reads again because the depth
// prompt will have moved.
func (c *compiler) depthCost(v view, depth block, from, to int) int {
	cost := depth.tokens()
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
