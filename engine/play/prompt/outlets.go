package prompt

import (
	"fmt"
	"strings"
)

// outlet holds the entries for one {{outlet::name}}.
type outlet struct {
	items  []*LoreItem
	texts  []string
	tokens []int
	used   bool
}

// outletEntry is an entry inside another text, with its part.
type outletEntry struct {
	outlet string
	item   *LoreItem
	part   Part
}

func outletName(it *LoreItem) string { return strings.TrimSpace(it.Outlet) }

// addToOutlet appends an entry to its outlet.
func (c *compiler) addToOutlet(it *LoreItem) {
	name := outletName(it)
	o := c.lore.outlets[name]
	if o == nil {
		o = &outlet{}
		c.lore.outlets[name] = o
	}
	text := strings.TrimSpace(it.Text)
	o.items, o.texts, o.tokens = append(o.items, it), append(o.texts, text), append(o.tokens, c.count(text+"\n"))
}

// fillOutlets sets the values of the outlet macros. All entries must be in their outlets.
func (c *compiler) fillOutlets() {
	if len(c.lore.outlets) > 0 {
		c.env.Outlets = make(map[string]string, len(c.lore.outlets))
	}
	for name, o := range c.lore.outlets {
		c.env.Outlets[name] = strings.Join(o.texts, "\n")
	}
}

func (c *compiler) metOutlet(name string) { c.lore.met = append(c.lore.met, name) }

// fill adds the entries that fill outlets in a piece to the list of parts. Their tokens are subtracted
// from the piece's own line, so the sum stays the count of the whole text. An outlet that was only
// tested in a condition does not count.
func (c *compiler) fill(p *piece, met []string) {
	left := p.part.Tokens
	stands := map[string]bool{}
	for _, name := range met {
		if _, known := stands[name]; !known {
			stands[name] = strings.Contains(p.text, c.env.Outlets[name])
		}
		if !stands[name] {
			continue
		}
		o := c.lore.outlets[name]
		o.used = true
		for i, it := range o.items {
			if left == 0 {
				break
			}
			part := lorePart(it, fmt.Sprintf("in the %s, at {{outlet::%s}}", strings.ReplaceAll(p.part.Layer, "_", " "),
				line(name, 40)))
			part.Included, part.Tokens = true, min(left, o.tokens[i])
			left -= part.Tokens
			p.inside = append(p.inside, outletEntry{name, it, part})
		}
	}
	p.part.Tokens = left
}

// outletWarnings returns a warning for each outlet in the stable part with entries that come and
// go: each change makes the server read everything from there on again. The prompt must be
// complete.
func (c *compiler) outletWarnings(p *Prompt, system block) []string {
	var warnings []string
	before := 0
	for _, piece := range system.pieces {
		named := map[string]bool{}
		for _, f := range piece.inside {
			if f.item.Constant || named[f.outlet] {
				continue
			}
			named[f.outlet] = true
			warnings = append(warnings, fmt.Sprintf("%s: {{outlet::%s}} in its %s is filled by an entry that is not "+
				"constant (%s): each change processes about %d tokens again", piece.part.Source, line(f.outlet, 40),
				strings.ReplaceAll(piece.part.Layer, "_", " "), f.part.Source, p.Tokens-before))
		}
		before += piece.tokens()
	}
	return warnings
}
