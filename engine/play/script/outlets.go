package script

import (
	"fmt"
	"strings"
)

// outlet is what fills {{outlet::name}}.
type outlet struct {
	items  []*LoreItem
	texts  []string
	tokens []int
	used   bool
}

// outletEntry is an entry inside another text: its line in the ledger.
type outletEntry struct {
	outlet string
	item   *LoreItem
	part   Part
}

func outletName(it *LoreItem) string { return strings.TrimSpace(it.Outlet) }

// addToOutlet puts an entry at the end of its outlet.
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

// fillOutlets tells macros of the outlets, when all entries are in them.
func (c *compiler) fillOutlets() {
	if len(c.lore.outlets) > 0 {
		c.env.Outlets = make(map[string]string, len(c.lore.outlets))
	}
	for name, o := range c.lore.outlets {
		c.env.Outlets[name] = strings.Join(o.texts, "\n")
	}
}

func (c *compiler) metOutlet(name string) { c.lore.met = append(c.lore.met, name) }

// fill writes the entries that fill outlets in a piece into the ledger. What
// they take is no longer in the piece's own line: together they stay what the
// text as a whole was counted as. An outlet that was only asked about, in a
// condition, stands nowhere.
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

// outletWarnings names the outlets in the stable part whose entries come and go:
// each time they do, everything from there on is read again. The prompt must be
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
