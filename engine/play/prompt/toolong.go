package prompt

import (
	"fmt"
	"strings"
)

// TooLongError reports that a prompt cannot fit, whatever is left out. All sizes are in tokens.
type TooLongError struct {
	Need int // tokens of the parts that must be there
	Room int // room in the context, without the reply and a margin
	// Part describes the biggest of those parts, and PartTokens is its size.
	Part       string
	PartTokens int
	Lore       int // lorebook entries' tokens in Need
	Context    int
	Reply      int
}

func (e *TooLongError) Error() string {
	advice := "shorten it"
	if e.Room < e.Need-e.PartTokens {
		advice = "shorten it and others"
	}
	if e.Reply > e.Context/4 {
		advice += ", lower the reply limit"
	}
	if e.Lore > e.Room/4 {
		advice += fmt.Sprintf(", use fewer lorebook entries (they use %d tokens)", e.Lore)
	}
	return fmt.Sprintf("the prompt needs %d tokens, but there is room for %d (a context of %d, minus %d for the "+
		"reply and a margin); the largest part is %s with %d tokens: %s or set a larger context (ollama.num_ctx in "+
		"config.toml)",
		e.Need, e.Room, e.Context, e.Reply, e.Part, e.PartTokens, advice)
}

// tooLong returns an error with the biggest of the required parts. All lorebook entries count as
// one part.
func (c *compiler) tooLong(need, budget int, v historyView, blocks []block) error {
	e := &TooLongError{Need: need, Room: max(budget, 0), Context: c.s.Limits.Context, Reply: c.s.Limits.Reply}
	biggest := func(part string, tokens int) {
		if tokens > e.PartTokens {
			e.Part, e.PartTokens = part, tokens
		}
	}
	var lore []Part
	take := func(p piece) {
		for _, f := range p.inside {
			lore = append(lore, f.part)
		}
		if p.part.Layer == LayerLore {
			lore = append(lore, p.part)
			return
		}
		biggest(fmt.Sprintf("the %s (%s)", strings.ReplaceAll(p.part.Layer, "_", " "), p.part.Source), p.part.Tokens)
	}
	for _, en := range v.entries {
		n := &c.s.History[en.at]
		biggest(fmt.Sprintf("a message of %s's (%s)", label(speaker(c, string(n.Role))), n.ID), en.cost-en.lore)
	}
	for _, b := range blocks {
		for _, p := range b.pieces {
			take(p)
		}
	}
	for _, st := range c.lore.stays {
		if st.active || st.was >= v.loreFrom {
			take(st.piece)
		}
	}
	for _, p := range lore {
		e.Lore += p.Tokens
	}
	if len(lore) == 1 {
		biggest(fmt.Sprintf("the lore (%s)", lore[0].Source), e.Lore)
	}
	biggest(fmt.Sprintf("the lore (%d entries)", len(lore)), e.Lore)
	if e.Part == "" {
		e.Part = "nothing"
	}
	return e
}

func speaker(c *compiler, role string) string {
	if role == "user" {
		return c.env.User
	}
	return c.env.Char
}
