package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// LorePlace is where an entry's text goes.
type LorePlace int

// LoreBefore and LoreAfter are in the stable part, before the character's
// description and after the scenario; LoreExamplesTop and LoreExamplesBottom are
// example blocks around the card's own. They suit entries that always fire.
//
// LoreTail is in the tail, anew every turn; LoreNoteTop and LoreNoteBottom are
// there too, around the author's note. LoreStays stands before the newest user
// message and stays there until the window leaves that message behind. Items that
// stand before the same message must keep their order and their text from prompt
// to prompt, or the server reads everything from there on again.
// LoreAtDepth stands LoreItem.Depth messages above the newest, spoken as
// LoreItem.Role. LoreOutlet stands where {{outlet::name}} does in the texts of
// the card or the chat.
const (
	LoreBefore LorePlace = iota
	LoreAfter
	LoreExamplesTop
	LoreExamplesBottom
	LoreTail
	LoreStays
	LoreNoteTop
	LoreNoteBottom
	LoreAtDepth
	LoreOutlet
)

// LoreItem is the text of one entry, or another note that the engine has for the
// prompt, to be put in its place.
type LoreItem struct {
	ID     string // tells it from others: the entry and its content
	Layer  string // of its line in the ledger; "" is LayerLore
	Source string // names it in the ledger: "lorebook Harbour: The Gull Inn"
	// Section is a heading, for LoreStays: items of one layer and section that
	// stand before the same message are told below it. "" is none.
	Section string
	Text    string // macros expanded
	// Facts are the statements of Text, as far as they are known.
	Facts  []Statement
	Place  LorePlace
	Depth  int    // LoreAtDepth: how many messages above the newest; 0 is the tail
	Role   string // LoreAtDepth: who speaks it; "" is system
	Outlet string // LoreOutlet: the name
	// At is, for LoreStays, the message before which it has stood since; "" for
	// one that is new. Where several items have one ID, the newest place counts.
	At storage.NodeID
	// Active tells of LoreStays that it fires for this prompt too; otherwise it
	// only stays where it is, and goes when the window leaves its message.
	Active bool
	// InRecap tells of LoreStays, where it is set, that a recap says it too: it goes with the
	// fold that brings that recap. It is asked only where the server reads it anew anyway.
	InRecap func(*Memory) bool
	// Constant tells that it fires for every prompt of the chat, whatever is
	// said, so that it costs nothing in the stable part.
	Constant bool
	Reason   string // for the ledger: `the key "inn" in the newest message`
	// Less tells in the ledger what of it Text leaves out, and why; "" for nothing.
	Less string
	// Anew gives the item, for LoreStays, as a prompt tells it whose history begins with
	// a message of this depth and whose memory is m: what these say it need not say. Its
	// Text may be "", and it keeps its place all the same. nil: it is the same wherever the
	// history begins.
	Anew func(depth int, m *Memory) LoreItem
}

// Statement is something that a prompt tells, in words that stand for themselves, and
// the messages that it came from, as far as these are known.
type Statement struct {
	Memory   storage.MemoryID // that says it, "" for none
	Text     string
	Messages []storage.NodeID
}

// LoreStand is where an item of LoreStays stands: right before the message At.
type LoreStand struct {
	ID string
	At storage.NodeID
}

// lore is Snapshot.Lore on its way into the prompt.
type lore struct {
	places map[LorePlace][]*LoreItem // all but LoreStays, LoreAtDepth above 0, LoreOutlet
	deep   []*LoreItem               // LoreAtDepth above 0
	out    []Part                    // what is left out

	stays    []loreStay
	ids      map[string]int // indices into stays
	standing map[int][]int  // what has stood before a message, by the message's index
	stood    map[int]int    // its tokens
	slack    map[int]int    // and those of them that go when all is read again
	dropped  bool           // an item that stood before a message in the prompt stands there no more
	// The newest message that a model is shown, and the user's newest; -1 for none.
	said, asked int

	outlets map[string]*outlet
	met     []string // names of the outlets in the texts expanded last
}

// Bounds of an entry's lines in the ledger, in runes: names and keys come out of
// files.
const (
	loreSource = 160
	loreReason = 240
)

// sortLore sorts the lore by place. What stands at depth 0 is part of the tail.
func (c *compiler) sortLore() {
	c.lore = lore{places: map[LorePlace][]*LoreItem{}, outlets: map[string]*outlet{}, ids: map[string]int{}}
	for i := range c.s.Lore {
		it := &c.s.Lore[i]
		if strings.TrimSpace(it.Text) == "" && it.Anew == nil {
			if it.Place != LoreStays || it.Active {
				c.lore.out = append(c.lore.out, lorePart(it, "its content is empty"))
			}
			continue
		}
		switch {
		case it.Place == LoreStays:
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

// lorePart returns an entry's line in the ledger; why tells of the place.
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

// less adds to an entry's line what of it is left out.
func (p Part) less(it *LoreItem) Part {
	if it.Less != "" {
		p.Reason += "; " + line(it.Less, loreReason)
	}
	return p
}

// lorePiece makes a piece of an entry. The line end that joins it to the next
// counts with it: there may be many entries.
func (c *compiler) lorePiece(it *LoreItem, join, why string) piece {
	p := piece{text: strings.TrimSpace(it.Text), join: join, part: lorePart(it, why), id: it.ID}
	if p.text != "" {
		p.part.Included, p.part.Tokens = true, c.count(p.text+"\n")
	}
	return p
}

// lorePieces makes pieces of entries that stand together, apart from what is
// before them.
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

// stableLore returns the entries of a place in the stable part. They go without a
// heading where each is a bracketed list that names what it tells of; prose gets
// one, so that it does not run on under the heading before it.
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

// exampleLore returns the entries that stand as example dialogues.
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

// deepLore is the message of the entries that ask for the same place inside the
// history.
type deepLore struct {
	depth int
	block
}

// loreAtDepth makes one message for each depth and role, the deepest first: in a
// short history several may end up at the same place.
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

// loreLeftOut returns the ledger's lines for entries that are not in the prompt. It
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
				lorePart(it, fmt.Sprintf("no {{outlet::%s}} stands in the texts of this prompt", line(name, 40))))
		}
	}
	return out
}

// line makes one bounded line of a text.
func line(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}
