package play

import (
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/prose"
)

// List is the list of messages. Only visible messages are laid out. A layout is kept until its
// message, the width, the styles or its folding changes; at most keptLayouts are kept.
type List struct {
	Items []*Item
	gap   int  // Items before it are a range further up, 0 for none
	More  bool // the store has older messages than the first one
	Busy  bool // others are being read

	// The view is anchored at its bottom edge: the last Below lines of Items[Anchor] are hidden
	// below it. While Follow is set, the end of the list stays in view.
	Anchor, Below int
	Follow        bool

	Selected int // of items; -1 while there are none
	width    int
	Height   int
	sty      *draw.Styles
	keys     *keys.Map
	Laid     []*Item // in the order of their layout
	Rows     []int   // index of the item of each row in the last frame, -1 for none
	drawn    []listRow
	Tail     []string // lines below the last message, while the end is in view
	pictures PictureLayout
	Marks    marks
	voices   map[storage.CharacterID]int // the others of the cast, counted from 1
	names    map[storage.CharacterID]string
	query    chats.Query // matches to highlight
}

// Item is one message with its layout.
type Item struct {
	Msg      chats.Message
	version  int
	fault    string           // the reason why there is no reply to it
	Unfolded bool             // thinking
	growing  *prose.Streamer  // while the message streams
	grown    bool             // only text was added since the layout
	content  play.GrowingText // of the message
	thinking play.GrowingText // of the message's thinking
	lines    []string
	head     int // number of lines above the text
	said     int // number of lines above the text and of the text
	own      int // number of lines of the message, without the scene's
	key      layoutKey
}

type layoutKey struct {
	version, width, gen, pictures int
	unfolded, faded               bool
	mark                          *sceneMark
}

// keptLayouts is the number of messages whose layouts are kept.
const keptLayouts = 400

// PictureLayout lays out the pictures of messages.
type PictureLayout interface {
	// Lines returns a capture as lines of at most w cells and about half of h rows.
	Lines(c *storage.Capture, w, h int, sty *draw.Styles) []string
	// Version returns a number that changes with the lines of a capture.
	Version(c *storage.Capture) int
	// MarkShown is called when cached lines are shown.
	MarkShown(c *storage.Capture)
}

// NewList makes a list without messages.
func NewList(sty *draw.Styles, km *keys.Map, pictures PictureLayout) *List {
	return &List{sty: sty, keys: km, Follow: true, Selected: -1, pictures: pictures}
}

// Touch records that an item's message has changed.
func (it *Item) Touch() { it.version++ }

// Show replaces all messages by the newest ones, and a range further up, which may be empty. The
// selection and the position stay at their messages, or at the messages that replaced them. live is
// the message that is being written, if any.
func (p *List) Show(far chats.MessageRange, msgs []chats.Message, more bool, live storage.NodeID) {
	old := map[storage.NodeID]*Item{}
	for _, it := range p.Items {
		old[it.Msg.ID] = it
	}
	var anchor, selected, above storage.NodeID
	if p.Anchor < len(p.Items) && !p.Follow {
		anchor = p.Items[p.Anchor].Msg.ID
	}
	if s := p.Current(); s != nil {
		selected, above = s.Msg.ID, s.Msg.Parent
	}
	p.gap = 0
	if n := len(far.Messages); n > 0 && len(msgs) > 0 && far.Messages[0].Depth < msgs[0].Depth {
		more = far.Older
		if i := indexOf(far.Messages, msgs[0].ID); i >= 0 {
			far.Messages = far.Messages[:i]
		} else {
			p.gap = n
		}
		msgs = slices.Concat(far.Messages, msgs)
	}
	p.Items = make([]*Item, 0, len(msgs))
	for _, m := range msgs {
		it := old[m.ID]
		if it == nil {
			it = &Item{}
		} else if it.growing != nil && m.State == storage.Draft {
			it.growing = nil
		}
		if m.State == storage.Draft && len(it.Msg.Content)+len(it.Msg.Thinking) > len(m.Content)+len(m.Thinking) {
			m.Content, m.Thinking = it.Msg.Content, it.Msg.Thinking // the stream is ahead of the store
		}
		it.Msg = m
		it.Touch()
		delete(old, m.ID)
		p.Items = append(p.Items, it)
	}
	if it := old[live]; it != nil {
		p.Items = append(p.Items, it) // it began after the messages were read
	}
	p.More, p.Busy, p.Laid = more, false, nil
	p.Anchor, p.Selected = len(p.Items)-1, len(p.Items)-1
	if i := p.Find(anchor); i >= 0 {
		p.Anchor = i
	} else {
		p.Follow, p.Below = true, 0
	}
	if i := p.Find(selected); i >= 0 {
		p.Selected = i
	} else if selected != "" {
		p.chooseUnder(above)
	}
}

// chooseUnder selects the message that follows a node: after a swipe, the new swipe.
func (p *List) chooseUnder(parent storage.NodeID) {
	for i, it := range p.Items {
		if it.Msg.Parent == parent {
			p.Choose(i)
			return
		}
	}
}

// Append adds a message at the end, or replaces the one with the same id.
func (p *List) Append(m chats.Message) *Item {
	if i := p.Find(m.ID); i >= 0 {
		p.Items[i].Msg = m
		p.Items[i].Touch()
		return p.Items[i]
	}
	it := &Item{Msg: m}
	atEnd := p.Selected == len(p.Items)-1
	p.Items = append(p.Items, it)
	if p.Follow {
		p.Anchor, p.Below = len(p.Items)-1, 0
	}
	if atEnd {
		p.Selected = len(p.Items) - 1
	}
	return it
}

// DropAfter removes the messages below a node, because a sibling replaces them.
func (p *List) DropAfter(parent storage.NodeID) {
	i := p.Find(parent)
	if parent != "" && i < 0 {
		return
	}
	p.Items = p.Items[:i+1]
	if i < p.gap {
		p.gap = 0
	}
	p.Selected = min(p.Selected, i)
	p.Bottom()
}

// Empty returns a list without messages that is drawn like p.
func (p *List) Empty() *List {
	n := NewList(p.sty, p.keys, p.pictures)
	n.width, n.Height = p.width, p.Height
	return n
}

// Unanswered keeps under a message why no reply came to it, and reports whether
// the message is there.
func (p *List) Unanswered(id storage.NodeID, words string) bool {
	i := p.Find(id)
	if i >= 0 {
		p.Items[i].fault = words
		p.Items[i].Touch()
	}
	return i >= 0
}

// Find returns the index of a message, newest first, -1 for none.
func (p *List) Find(id storage.NodeID) int {
	if id == "" {
		return -1
	}
	for i := len(p.Items) - 1; i >= 0; i-- {
		if p.Items[i].Msg.ID == id {
			return i
		}
	}
	return -1
}

// Current returns the selected message, nil for none.
func (p *List) Current() *Item {
	if p.Selected < 0 || p.Selected >= len(p.Items) {
		return nil
	}
	return p.Items[p.Selected]
}

// Grow appends streamed text to a message.
func (p *List) Grow(d play.ReplyDelta) {
	i := p.Find(d.Node)
	if i < 0 {
		return
	}
	it := p.Items[i]
	content := unseen(it.Msg.Content, d.Content, d.At)
	thinking := unseen(it.Msg.Thinking, d.Thinking, d.ThinkingAt)
	it.Msg.Content = it.content.Append(it.Msg.Content, content)
	it.Msg.Thinking = it.thinking.Append(it.Msg.Thinking, thinking)
	if it.growing != nil && content != "" {
		it.growing.Append(content)
	}
	if it.growing == nil || thinking != "" {
		it.Touch()
	}
	it.grown = true
}

// Shorten removes the end of a message that is being written.
func (p *List) Shorten(c play.ReplyCut) {
	i := p.Find(c.Node)
	if i < 0 {
		return
	}
	it := p.Items[i]
	if c.At < len(it.Msg.Content) {
		it.Msg.Content = it.Msg.Content[:c.At]
		it.growing = nil
		it.Touch()
	}
}

// unseen returns the part of a delta, which begins at byte at, that is not in have yet.
func unseen(have, delta string, at int) string {
	if over := len(have) - at; over > 0 {
		return delta[min(over, len(delta)):]
	}
	return delta
}

// Resize sets the size of the view and reports whether it was another; w is the
// room for prose.
func (p *List) Resize(w, h int) bool {
	changed := w != p.width || h != p.Height
	if w != p.width {
		for _, it := range p.Items {
			it.growing = nil
		}
	}
	p.width, p.Height = w, h
	return changed
}

// HeightOf returns the number of lines of the message at i.
func (p *List) HeightOf(i int) int { return len(p.layout(p.Items[i])) }

// Scroll moves the view up by n lines, down for a negative n.
func (p *List) Scroll(n int) {
	if len(p.Items) == 0 {
		return
	}
	if p.Anchor >= len(p.Items) {
		p.Anchor, p.Below = len(p.Items)-1, 0
	}
	p.Below += n
	for p.Below >= p.HeightOf(p.Anchor) && p.Anchor > p.rangeStart(p.Anchor) {
		p.Below -= p.HeightOf(p.Anchor)
		p.Anchor--
	}
	for p.Below < 0 && p.Anchor < p.rangeEnd(p.Anchor) {
		p.Anchor++
		p.Below += p.HeightOf(p.Anchor)
	}
	p.clampScroll()
}

// clampScroll keeps the view within the list: no gap below its end, none above its beginning.
func (p *List) clampScroll() {
	have := -p.Below
	for i := p.Anchor; i >= p.rangeStart(p.Anchor) && have < p.Height; i-- {
		have += p.HeightOf(i)
	}
	if lack := p.Height - have; lack > 0 {
		p.Below -= lack
		for p.Below < 0 && p.Anchor < p.rangeEnd(p.Anchor) {
			p.Anchor++
			p.Below += p.HeightOf(p.Anchor)
		}
	}
	if p.Below < 0 {
		p.Below = 0
	}
	p.Follow = p.Anchor == len(p.Items)-1 && p.Below == 0
}

// Bottom goes to the end and stays there.
func (p *List) Bottom() {
	p.Follow, p.Below = true, 0
	p.Anchor = len(p.Items) - 1
	p.Selected = len(p.Items) - 1
}

// Choose selects a message and scrolls to it.
func (p *List) Choose(i int) {
	if len(p.Items) == 0 {
		return
	}
	p.Selected = max(0, min(i, len(p.Items)-1))
	p.Reveal(p.Selected)
}

// Reveal scrolls to the message at i.
func (p *List) Reveal(i int) {
	h := p.HeightOf(i)
	if i > p.Anchor || i == p.Anchor && p.Below > 0 || i < p.rangeStart(p.Anchor) {
		p.Anchor, p.Below = i, max(0, h-p.Height)
		p.clampScroll()
		return
	}
	up := -p.Below // lines from the top of item i down to the view's bottom edge
	for j := p.Anchor; j >= i; j-- {
		up += p.HeightOf(j)
		if j < p.Anchor-p.Height {
			break // far away: every item has at least one line
		}
	}
	if up < min(h, p.Height) {
		p.Anchor, p.Below = i, max(0, h-p.Height) // heights have changed since the view was anchored
		p.clampScroll()
		return
	}
	if up > p.Height {
		if p.Anchor-i > p.Height {
			p.Anchor, p.Below = i, max(0, h-p.Height)
			p.clampScroll()
			return
		}
		p.Scroll(min(up-p.Height, up-min(h, p.Height)))
	}
}

// dropOldLayouts drops the oldest layouts.
func (p *List) dropOldLayouts() {
	for len(p.Laid) > keptLayouts {
		old := p.Laid[0]
		p.Laid = p.Laid[1:]
		old.lines = nil
	}
}

// layout returns the item's lines: its name, its text, a blank line, and the lines for a scene that
// ends there.
func (p *List) layout(it *Item) []string {
	mark := p.Marks.At[it.Msg.ID]
	key := layoutKey{it.version, p.width, p.sty.Gen, p.pictures.Version(it.Msg.Picture), it.Unfolded, p.faded(it), mark}
	if it.Msg.Picture == nil {
		key.pictures = 0
	}
	if it.lines != nil && it.key == key && (!it.grown || it.growing != nil) {
		if it.grown {
			p.relayoutTail(it)
		}
		return it.lines
	}
	it.grown = false
	if it.lines == nil {
		p.Laid = append(p.Laid, it)
	}
	it.key = key
	lines := append(it.lines[:0:0], p.Heading(it))
	if it.Msg.Role == storage.SceneCapture {
		lines = append(lines, p.pictures.Lines(it.Msg.Picture, p.width, p.Height, p.sty)...)
	} else {
		lines = append(lines, p.thoughts(it)...)
		it.head = len(lines)
		lines = append(lines, p.speech(it)...)
		it.said = len(lines)
	}
	words := p.ending(it.Msg)
	if it.fault != "" {
		words = "— no reply: " + it.fault
	}
	if words != "" {
		for _, l := range draw.Wrap(words, p.width) {
			lines = append(lines, p.sty.Warning.Styled(l))
		}
	}
	it.own = len(lines)
	it.lines = append(lines, "")
	if mark != nil {
		it.lines = append(it.lines, p.sceneRows(mark)...)
	}
	return it.lines
}

// relayoutTail lays out the text of a message that is being written again. The lines above and
// below it are kept.
func (p *List) relayoutTail(it *Item) {
	it.grown = false
	var avail [4]string // the lines of a long reply are not copied for each token
	tail := append(avail[:0], it.lines[it.said:]...)
	lines := append(it.lines[:it.head], p.speech(it)...)
	it.own += len(lines) - it.said
	it.said = len(lines)
	it.lines = append(lines, tail...)
}

// Restyle takes a new look.
func (p *List) Restyle(sty *draw.Styles) {
	p.sty = sty
	for _, it := range p.Items {
		it.growing = nil
	}
}

var ulid = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`) })

// Positions replaces message ids in a text by their positions in the chat, counted from 1. For
// messages that are not loaded, it keeps the end of the id.
func (p *List) Positions(text string) string {
	return ulid().ReplaceAllStringFunc(text, func(id string) string {
		if i := p.Find(storage.NodeID(id)); i >= 0 {
			return strconv.Itoa(p.Items[i].Msg.Depth + 1)
		}
		return "…" + id[len(id)-6:]
	})
}
