package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// LorePlace is the place of an entry's text in the prompt.
type LorePlace int

// LoreBefore and LoreAfter are in the stable part, before the character's description and after the
// scenario. LoreExamplesTop and LoreExamplesBottom are example blocks around the card's own. All
// four suit entries that are always active.
//
// LoreTail is in the tail, which is sent again every turn. LoreNoteTop and LoreNoteBottom are there
// too, around the author's note. LorePinned comes before the newest user message and stays there
// until the window leaves that message behind. Items before the same message must keep their order
// and their text from prompt to prompt, or the server reads everything from there on again.
// LoreAtDepth is placed LoreItem.Depth messages above the newest, with the role LoreItem.Role.
// LoreOutlet replaces {{outlet::name}} in the texts of the card or the chat.
const (
	LoreBefore LorePlace = iota
	LoreAfter
	LoreExamplesTop
	LoreExamplesBottom
	LoreTail
	LorePinned
	LoreNoteTop
	LoreNoteBottom
	LoreAtDepth
	LoreOutlet
)

// LoreItem is the text of one entry, or another note of the engine, with its place in the prompt.
type LoreItem struct {
	ID     string // identifies the entry with its content
	Layer  string // of its part; "" is LayerLore
	Source string // name in the list of parts: "lorebook Harbour: The Gull Inn"
	// Section is a heading, for LorePinned: it is above the items of one layer and section that come
	// before the same message. "" is none.
	Section string
	Text    string // macros expanded
	// Facts are the known statements of Text.
	Facts  []Statement
	Place  LorePlace
	Depth  int    // LoreAtDepth: messages above the newest; 0 is the tail
	Role   string // LoreAtDepth: role of its message; "" is system
	Outlet string // LoreOutlet: the name
	// At is, for LorePinned, the message that the item precedes since an earlier prompt; "" for a
	// new item. If several items have one ID, the newest place counts.
	At storage.NodeID
	// Active reports, for LorePinned, that the item is activated for this prompt too. Otherwise it
	// only stays in its place, and leaves when the window leaves its message.
	Active bool
	// InRecap reports, for LorePinned, whether a recap says it too; it may be nil. If so, the item
	// leaves with the fold that brings that recap. It is called only if the server reads the text
	// again anyway.
	InRecap func(*RecapBlock) bool
	// Constant reports that the item is active in every prompt of the chat, so it costs nothing in
	// the stable part.
	Constant bool
	Reason   string // for the list of parts: `the key "inn" in the newest message`
	// Less is a note for the list of parts about what Text leaves out, and why; "" for nothing.
	Less string
	// Recompute, for LorePinned, returns the item for a prompt whose history begins with a message of
	// this depth and whose memory is m: it may leave out what these say. If its Text is "", the
	// item still keeps its place. nil means that the item does not depend on the beginning of the
	// history.
	Recompute func(depth int, m *RecapBlock) LoreItem
}

// Statement is a self-contained statement in a prompt, with the messages that it came from, if
// known.
type Statement struct {
	Memory   storage.MemoryID // the memory that says it, "" for none
	Text     string
	Messages []storage.NodeID
}

// PinnedLore is the place of an item of LorePinned: directly before the message At.
type PinnedLore struct {
	ID string
	At storage.NodeID
}

// lore is Snapshot.Lore while it is compiled.
type lore struct {
	places map[LorePlace][]*LoreItem // all but LorePinned, LoreAtDepth above 0, LoreOutlet
	deep   []*LoreItem               // LoreAtDepth above 0
	out    []Part                    // items that are left out

	stays    []loreStay
	ids      map[string]int // indices into stays
	standing map[int][]int  // indexes of stays before a message, by the message's index
	stood    map[int]int    // their tokens, by the message's index
	slack    map[int]int    // tokens of those that leave when all is read again
	dropped  bool           // an item of the last prompt is no longer at its place
	// The newest message that is shown to a model, and the user's newest; -1 for none.
	said, asked int

	outlets map[string]*outlet
	met     []string // names of the outlets in the texts expanded last
}

// Limits of an entry's parts, in runes: names and keys come from files.
const (
	loreSource = 160
	loreReason = 240
)

// sortLore sorts the lore by place. Lore at depth 0 is part of the tail.
func (c *compiler) sortLore() {
	c.lore = lore{places: map[LorePlace][]*LoreItem{}, outlets: map[string]*outlet{}, ids: map[string]int{}}
	for i := range c.s.Lore {
		it := &c.s.Lore[i]
		if strings.TrimSpace(it.Text) == "" && it.Recompute == nil {
			if it.Place != LorePinned || it.Active {
				c.lore.out = append(c.lore.out, lorePart(it, "its content is empty"))
			}
			continue
		}
		switch {
		case it.Place == LorePinned:
			c.addStay(it)
		case it.Place == LoreOutlet:
			c.addToOutlet(it)
		case it.Place == LoreAtDepth && it.Depth > 0:
			c.lore.deep = append(c.lore.deep, it)
		case it.Place == LoreAtDepth:
			c.lore.places[LoreTail] = append(c.lore.places[LoreTail], it)
		default:
			c.lore.places[it.Place] = append(c.lore.places[it.Place], it)
		}
	}
	c.findStays()
	c.fillOutlets()
	for _, p := range c.s.LoreOut {
		p.Included = false
		if p.Layer == "" {
			p.Layer = LayerLore
		}
		c.lore.out = append(c.lore.out, p)
	}
}

// lorePart returns an entry's part. why is the reason for its place.
func lorePart(it *LoreItem, why string) Part {
	p := Part{Layer: it.Layer, Source: line(it.Source, loreSource), Reason: line(it.Reason, loreReason)}
	if p.Layer == "" {
		p.Layer = LayerLore
	}
	if p.Source == "" {
		p.Source = "a lorebook entry"
		if p.Layer != LayerLore {
			p.Source = "a note"
		}
	}
	switch {
	case p.Reason == "" && why == "":
		p.Reason = "it triggers"
		if p.Layer != LayerLore {
			p.Reason = "it is requested"
		}
	case p.Reason == "":
		p.Reason = why
	case why != "":
		p.Reason += "; " + why
	}
	return p.less(it)
}

// less adds the item's note about left-out text to its part.
func (p Part) less(it *LoreItem) Part {
	if it.Less != "" {
		p.Reason += "; " + line(it.Less, loreReason)
	}
	return p
}

// lorePiece returns an entry as a piece. The line break before the next piece counts with it: there
// may be many entries.
func (c *compiler) lorePiece(it *LoreItem, join, why string) piece {
	p := piece{text: strings.TrimSpace(it.Text), join: join, part: lorePart(it, why), id: it.ID}
	if p.text != "" {
		p.part.Included, p.part.Tokens = true, c.count(p.text+"\n")
	}
	return p
}

// lorePieces returns the pieces of consecutive entries. An empty line separates them from the text
// before.
func (c *compiler) lorePieces(items []*LoreItem, join, why string) []piece {
	var pieces []piece
	for i, it := range items {
		p := c.lorePiece(it, join, why)
		if i == 0 {
			p.join = ""
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// stableLore returns the entries of a place in the stable part. They have no heading if each is a
// bracketed list, which names its subject; prose gets one, so that it does not continue the section
// before it.
func (c *compiler) stableLore(place LorePlace) []piece {
	items := c.lore.places[place]
	pieces := c.lorePieces(items, "\n", "")
	for _, p := range pieces {
		if !strings.HasPrefix(p.text, "[") || !strings.HasSuffix(p.text, "]") {
			return c.headed("About the world", pieces)
		}
	}
	return pieces
}

// exampleLore returns the entries that serve as example dialogues.
func (c *compiler) exampleLore(place LorePlace, between string) []piece {
	var pieces []piece
	for _, it := range c.lore.places[place] {
		p := c.lorePiece(it, between, "as an example dialogue")
		if p.text = strings.Join(prompts.Examples(p.text), between); p.text != "" {
			p.part.Tokens = c.count(p.text + "\n")
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// deepLore is the message of the entries with the same place inside the history.
type deepLore struct {
	depth int
	block
}

// loreAtDepth returns one message for each depth and role, the deepest first. In a short history
// several may end up at the same place.
func (c *compiler) loreAtDepth() []deepLore {
	type place struct {
		depth int
		role  string
	}
	var groups []deepLore
	index := map[place]int{}
	for _, it := range c.lore.deep {
		at := place{it.Depth, roleOf(it.Role)}
		i, has := index[at]
		if !has {
			i = len(groups)
			index[at], groups = i, append(groups, deepLore{at.depth, block{role: at.role}})
		}
		groups[i].pieces = append(groups[i].pieces, c.lorePiece(it, "\n", ""))
	}
	for i := range groups {
		groups[i].block = newBlock(groups[i].role, groups[i].pieces)
	}
	slices.SortStableFunc(groups, func(a, b deepLore) int { return cmp.Compare(b.depth, a.depth) })
	return groups
}

// loreLeftOut returns the parts for entries that are not in the prompt. It
// is complete when the window is chosen.
func (c *compiler) loreLeftOut() []Part {
	out := c.lore.out
	for i := range c.s.Lore {
		it := &c.s.Lore[i]
		if it.Place != LoreOutlet || strings.TrimSpace(it.Text) == "" {
			continue
		}
		if name := outletName(it); !c.lore.outlets[name].used {
			out = append(out,
				lorePart(it, fmt.Sprintf("no text of this prompt contains {{outlet::%s}}", line(name, 40))))
		}
	}
	return out
}

// line returns a text on one line, with no more than most runes.
func line(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}
