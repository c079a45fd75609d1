package prompt

import (
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// firstTokens returns the tokens of the first messages of the chat. Their room is reserved even
// while they are part of the history, so that they fit after the history folds.
func (c *compiler) firstTokens() (n int) {
	for i := range c.s.First {
		if shown(&c.s.First[i]) {
			n += c.sizeOf(&c.s.First[i])
		}
	}
	return n
}

// sizeOf returns the tokens of a message in a prompt.
func (c *compiler) sizeOf(n *storage.Node) int {
	return c.count(c.s.said(n)) + messageTokens
}

// firstBefore returns the first messages of the chat that come before the history of a view.
func (c *compiler) firstBefore(v historyView) (out []*storage.Node) {
	for i := range c.s.First {
		if n := &c.s.First[i]; shown(n) && len(v.entries) > 0 && n.Depth < c.s.History[v.first()].Depth {
			out = append(out, n)
		}
	}
	return out
}

// putFirst adds the first messages of the chat to a prompt whose history begins after them.
func (c *compiler) putFirst(p *Prompt, v historyView) {
	list, tokens := c.firstBefore(v), 0
	for _, n := range list {
		size := c.sizeOf(n)
		p.say(c.s, n, size)
		tokens += size
	}
	if len(list) > 0 {
		p.Tokens += tokens
		p.Parts = append(p.Parts, Part{Layer: LayerHistory, Included: true, Tokens: tokens,
			Source: fmt.Sprintf("messages %s to %s", list[0].ID, list[len(list)-1].ID),
			Reason: plural(len(list), "message") + " at the start of the chat, kept word for word"})
	}
}
