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

// List is the list of messages. Only what is in view is ever laid out; what was
// laid out is kept until its message, the width, the look or its folding
// changes, and no more than keptLayouts at a time.
type List struct {
	Items []*Item
	gap   int  // Items before it are a stretch further up, 0 for none
	More  bool // older ones than the first are in the store
	Busy  bool // others are being read

	// The view hangs on the bottom edge: below lines of items[anchor] are
	// hidden under it. While follow is set the end of the list stays in view.
	Anchor, Below int
	Follow        bool

	Selected int // of items; -1 while there are none
	width    int
	Height   int
	sty      *draw.Styles
	keys     *keys.Map
	Laid     []*Item // in the order of their layout
	Rows     []int   // of the last draw: which item each row belongs to, -1 none
	drawn    []listRow
	Tail     []string // lines below the last message, while the end is in view
	pictures PictureLayout
	Marks    marks
	voices   map[storage.CharacterID]int // the others of the cast, counted from 1
	names    map[storage.CharacterID]string
	query    chats.Query // that is looked for
}

// Item is one message with its layout.
type Item struct {
	Msg      chats.Message
	version  int
	fault    string           // why there is no reply to it, in words
	Unfolded bool             // thinking
	growing  *prose.Streamer  // while the message streams
	grown    bool             // since it was laid out, and nothing else
	content  play.GrowingText // of the message
	thinking play.GrowingText // likewise
	lines    []string
	head     int // of lines: those above the text
	said     int // of lines: those above it and its own
	own      int // of lines: those of the message, without the scene's
	key      layoutKey
}

type layoutKey struct {
	version, width, gen, pictures int
	unfolded, faded               bool
	mark                          *sceneMark
}

// keptLayouts is how many messages stay laid out.
const keptLayouts = 400

// PictureLayout lays out the pictures of messages.
type PictureLayout interface {
	// Lines is a capture as lines of at most w cells and about half of h rows.
	Lines(c *storage.Capture, w, h int, sty *draw.Styles) []string
	// Version changes whenever the lines of a capture do.
	Version(c *storage.Capture) int
	// MarkShown tells that lines that were kept are shown.
	MarkShown(c *storage.Capture)
}

// NewList makes a list without messages.
func NewList(sty *draw.Styles, km *keys.Map, pictures PictureLayout) *List {
	return &List{sty: sty, keys: km, Follow: true, Selected: -1, pictures: pictures}
}

// Touch says that an item's message has changed.
func (it *Item) Touch() { it.version++ }

// Show replaces all messages by the newest ones, and a stretch that lies further up,
// which may be empty. The selection and the place in the list stay on
// the messages they were on where these are still there, or on what took their
// place. live is the message that grows right now, if any.
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

// chooseUnder selects the message that follows a node: after a swipe, the one in
// the place of the one that was selected.
func (p *List) chooseUnder(parent storage.NodeID) {
	for i, it := range p.Items {
		if it.Msg.Parent == parent {
			p.Choose(i)
			return
		}
	}
}

// Append puts a message at the end, or in the place of the one with its id.
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

// DropAfter takes the messages below a node out of the list, for a sibling that
// takes their place.
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

// Empty returns a list of no messages that is drawn as p is.
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

// Shorten takes back the end of a message that grows.
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

// unseen returns what of a delta that begins at byte at is not in have yet.
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

// HeightOf returns how many lines the message at i takes.
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

// clampScroll keeps the view within the list: no gap under its end, none above its
// beginning.
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

// Choose selects a message and brings it into view.
func (p *List) Choose(i int) {
	if len(p.Items) == 0 {
		return
	}
	p.Selected = max(0, min(i, len(p.Items)-1))
	p.Reveal(p.Selected)
}

// Reveal brings the message at i into view.
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
			break // far away: every item has at least a line
		}
	}
	if up < min(h, p.Height) {
		p.Anchor, p.Below = i, max(0, h-p.Height) // heights have changed since the view was hung up
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

// dropOldLayouts forgets the layouts that were made longest ago.
func (p *List) dropOldLayouts() {
	for len(p.Laid) > keptLayouts {
		old := p.Laid[0]
		p.Laid = p.Laid[1:]
		old.lines = nil
	}
}

// layout returns the item's lines: its name, its text, a blank one, and what stands
// under it where a scene ends.
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

// relayoutTail lays out again what is said in a message that is written: what stands above and
// below stays.
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

// Positions puts for the ids of messages in a text where they stand in the chat,
// counted from 1; of those that are not at hand it leaves the end.
func (p *List) Positions(text string) string {
	return ulid().ReplaceAllStringFunc(text, func(id string) string {
		if i := p.Find(storage.NodeID(id)); i >= 0 {
			return strconv.Itoa(p.Items[i].Msg.Depth + 1)
		}
		return "…" + id[len(id)-6:]
	})
}
