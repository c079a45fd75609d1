package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/prose"
)

// play is the list of messages. Only what is in view is ever laid out; what was
// laid out is kept until its message, the width, the look or its folding
// changes, and no more than keptLayouts at a time.
type playList struct {
	items []*item
	total int  // messages of the chat, loaded or not
	more  bool // older ones are in the store
	busy  bool // older ones are being read

	// The view hangs on the bottom edge: below lines of items[anchor] are
	// hidden under it. While follow is set the end of the list stays in view.
	anchor, below int
	follow        bool

	selected int // of items; -1 while there are none
	width    int
	height   int
	lk       *look.Look
	keys     *keys.Map
	laid     []*item  // in the order of their layout
	rows     []int    // of the last draw: which item each row belongs to, -1 none
	tail     []string // lines below the last message, while the end is in view
	pictures pictureLayout
	marks    marks
	voices   map[storage.CharacterID]int // the others of the cast, counted from 1
	names    map[storage.CharacterID]string
	then     []func() tea.Cmd // to be done when the older messages are here
}

// item is one message with its layout.
type item struct {
	msg      chats.Message
	version  int
	fault    string          // why there is no reply to it, in words
	unfolded bool            // thinking
	growing  *prose.Streamer // while the message streams
	lines    []string
	own      int // of lines: those of the message, without the scene's
	key      layoutKey
}

type layoutKey struct {
	version, width, gen, pictures int
	unfolded, faded               bool
	mark                          *sceneMark
}

const keptLayouts = 400

// pictureLayout lays out the pictures of messages.
type pictureLayout interface {
	// Lines is a capture as lines of at most w cells and about half of h rows.
	Lines(c *storage.Capture, w, h int, lk *look.Look) []string
	// Version changes whenever the lines of a capture do.
	Version(c *storage.Capture) int
	// Seen tells that lines that were kept are shown.
	Seen(c *storage.Capture)
}

func newPlay(lk *look.Look, km *keys.Map, pictures pictureLayout) *playList {
	return &playList{lk: lk, keys: km, follow: true, selected: -1, pictures: pictures}
}

// touch says that an item's message has changed.
func (it *item) touch() { it.version++ }

// show replaces all messages. The selection and the place in the list stay on
// the messages they were on where these are still there, or on what took their
// place. live is the message that grows right now, if any.
func (p *playList) show(msgs []chats.Message, more bool, total int, live storage.NodeID) {
	old := map[storage.NodeID]*item{}
	for _, it := range p.items {
		old[it.msg.ID] = it
	}
	var anchor, selected, above storage.NodeID
	if p.anchor < len(p.items) && !p.follow {
		anchor = p.items[p.anchor].msg.ID
	}
	if s := p.current(); s != nil {
		selected, above = s.msg.ID, s.msg.Parent
	}
	p.items = make([]*item, 0, len(msgs))
	for _, m := range msgs {
		it := old[m.ID]
		if it == nil {
			it = &item{}
		} else if it.growing != nil && m.State == storage.Draft {
			it.growing = nil
		}
		if m.State == storage.Draft && len(it.msg.Content)+len(it.msg.Thinking) > len(m.Content)+len(m.Thinking) {
			m.Content, m.Thinking = it.msg.Content, it.msg.Thinking // the stream is ahead of the store
		}
		it.msg = m
		it.touch()
		delete(old, m.ID)
		p.items = append(p.items, it)
	}
	if it := old[live]; it != nil {
		p.items = append(p.items, it) // it began after the messages were read
	}
	p.more, p.total, p.busy, p.laid = more, total, false, nil
	p.anchor, p.selected = len(p.items)-1, len(p.items)-1
	if i := p.find(anchor); i >= 0 {
		p.anchor = i
	} else {
		p.follow, p.below = true, 0
	}
	if i := p.find(selected); i >= 0 {
		p.selected = i
	} else if selected != "" {
		p.chooseUnder(above)
	}
}

// chooseUnder selects the message that follows a node: after a swipe, the one in
// the place of the one that was selected.
func (p *playList) chooseUnder(parent storage.NodeID) {
	for i, it := range p.items {
		if it.msg.Parent == parent {
			p.choose(i)
			return
		}
	}
}

// prepend puts older messages above the first.
func (p *playList) prepend(msgs []chats.Message, more bool) {
	items := make([]*item, 0, len(msgs)+len(p.items))
	for _, m := range msgs {
		items = append(items, &item{msg: m})
	}
	p.items = append(items, p.items...)
	p.anchor += len(msgs)
	p.selected += len(msgs)
	p.more, p.busy = more, false
}

// append puts a message at the end, or in the place of the one with its id.
func (p *playList) append(m chats.Message) *item {
	if i := p.find(m.ID); i >= 0 {
		p.items[i].msg = m
		p.items[i].touch()
		return p.items[i]
	}
	it := &item{msg: m}
	atEnd := p.selected == len(p.items)-1
	p.items = append(p.items, it)
	p.total++
	if p.follow {
		p.anchor, p.below = len(p.items)-1, 0
	}
	if atEnd {
		p.selected = len(p.items) - 1
	}
	return it
}

// dropAfter takes the messages below a node out of the list, for a sibling that
// takes their place.
func (p *playList) dropAfter(parent storage.NodeID) {
	i := p.find(parent)
	if parent != "" && i < 0 {
		return
	}
	p.total -= len(p.items) - i - 1
	p.items = p.items[:i+1]
	p.selected = min(p.selected, i)
	p.bottom()
}

// newPlayLike is an empty list with the look and the picture settings of p.
func newPlayLike(p *playList) *playList {
	n := newPlay(p.lk, p.keys, p.pictures)
	n.width, n.height = p.width, p.height
	return n
}

// unanswered keeps under a message why no reply came to it, and tells whether
// the message is there.
func (p *playList) unanswered(id storage.NodeID, words string) bool {
	i := p.find(id)
	if i >= 0 {
		p.items[i].fault = words
		p.items[i].touch()
	}
	return i >= 0
}

// find is the index of a message, newest first, -1 for none.
func (p *playList) find(id storage.NodeID) int {
	if id == "" {
		return -1
	}
	for i := len(p.items) - 1; i >= 0; i-- {
		if p.items[i].msg.ID == id {
			return i
		}
	}
	return -1
}

func (p *playList) current() *item {
	if p.selected < 0 || p.selected >= len(p.items) {
		return nil
	}
	return p.items[p.selected]
}

func (p *playList) first() *item {
	if len(p.items) == 0 {
		return nil
	}
	return p.items[0]
}

// grow appends streamed text to a message.
func (p *playList) grow(d play.ReplyDelta) {
	i := p.find(d.Node)
	if i < 0 {
		return
	}
	it := p.items[i]
	content := unseen(it.msg.Content, d.Content, d.At)
	it.msg.Content += content
	it.msg.Thinking += unseen(it.msg.Thinking, d.Thinking, d.ThinkingAt)
	if it.growing != nil && content != "" {
		it.growing.Append(content)
	}
	it.touch()
}

// unseen is what of a delta that begins at byte at is not in have yet.
func unseen(have, delta string, at int) string {
	if over := len(have) - at; over > 0 {
		return delta[min(over, len(delta)):]
	}
	return delta
}

// resize sets the size of the view and tells whether it was another; w is the
// room for prose.
func (p *playList) resize(w, h int) bool {
	changed := w != p.width || h != p.height
	if w != p.width {
		for _, it := range p.items {
			it.growing = nil
		}
	}
	p.width, p.height = w, h
	return changed
}

func (p *playList) heightOf(i int) int { return len(p.layout(p.items[i])) }

// scroll moves the view up by n lines, down for a negative n.
func (p *playList) scroll(n int) {
	if len(p.items) == 0 {
		return
	}
	if p.anchor >= len(p.items) {
		p.anchor, p.below = len(p.items)-1, 0
	}
	p.below += n
	for p.below >= p.heightOf(p.anchor) && p.anchor > 0 {
		p.below -= p.heightOf(p.anchor)
		p.anchor--
	}
	for p.below < 0 && p.anchor < len(p.items)-1 {
		p.anchor++
		p.below += p.heightOf(p.anchor)
	}
	p.settle()
}

// settle keeps the view within the list: no gap under its end, none above its
// beginning.
func (p *playList) settle() {
	have := -p.below
	for i := p.anchor; i >= 0 && have < p.height; i-- {
		have += p.heightOf(i)
	}
	if lack := p.height - have; lack > 0 {
		p.below -= lack
		for p.below < 0 && p.anchor < len(p.items)-1 {
			p.anchor++
			p.below += p.heightOf(p.anchor)
		}
	}
	if p.below < 0 {
		p.below = 0
	}
	p.follow = p.anchor == len(p.items)-1 && p.below == 0
}

// bottom goes to the end and stays there.
func (p *playList) bottom() {
	p.follow, p.below = true, 0
	p.anchor = len(p.items) - 1
	p.selected = len(p.items) - 1
}

// choose selects a message and brings it into view.
func (p *playList) choose(i int) {
	if len(p.items) == 0 {
		return
	}
	p.selected = max(0, min(i, len(p.items)-1))
	p.reveal(p.selected)
}

func (p *playList) reveal(i int) {
	h := p.heightOf(i)
	if i > p.anchor || i == p.anchor && p.below > 0 {
		p.anchor, p.below = i, max(0, h-p.height)
		p.settle()
		return
	}
	up := -p.below // lines from the top of item i down to the view's bottom edge
	for j := p.anchor; j >= i; j-- {
		up += p.heightOf(j)
		if j < p.anchor-p.height {
			break // far away: every item has at least a line
		}
	}
	if up < min(h, p.height) {
		p.anchor, p.below = i, max(0, h-p.height) // heights have changed since the view was hung up
		p.settle()
		return
	}
	if up > p.height {
		if p.anchor-i > p.height {
			p.anchor, p.below = i, max(0, h-p.height)
			p.settle()
			return
		}
		p.scroll(min(up-p.height, up-min(h, p.height)))
	}
}

// nearTop tells whether older messages should be read soon.
func (p *playList) nearTop() bool {
	return p.more && !p.busy && len(p.rows) > 0 && p.anchor < 60
}

// draw shows the messages that are in view.
func (p *playList) draw(buf uv.ScreenBuffer, area uv.Rectangle, marked bool) {
	if cap(p.rows) < area.Dy() {
		p.rows = make([]int, area.Dy())
	}
	p.rows = p.rows[:area.Dy()]
	for i := range p.rows {
		p.rows[i] = -1
	}
	if len(p.items) == 0 {
		return
	}
	if p.follow || p.anchor >= len(p.items) {
		p.anchor, p.below = len(p.items)-1, 0
	} else if h := p.heightOf(p.anchor); p.below >= h {
		p.below = h - 1 // it was higher when the view was hung on it
		p.settle()
	}
	left := area.Min.X + max(0, (area.Dx()-p.width-3)/2)
	y := area.Max.Y - 1
	if p.follow {
		for j := len(p.tail) - 1; j >= 0 && y >= area.Min.Y; j-- {
			p.row(buf, left, y, p.tail[j], false)
			y--
		}
	}
	skip := p.below
	for i := p.anchor; i >= 0 && y >= area.Min.Y; i-- {
		lines := p.layout(p.items[i])
		p.missing(p.items[i])
		p.pictures.Seen(p.items[i].msg.Picture)
		for j := len(lines) - 1 - skip; j >= 0 && y >= area.Min.Y; j-- {
			p.row(buf, left, y, lines[j], marked && i == p.selected && j < p.items[i].own)
			p.rows[y-area.Min.Y] = i
			y--
		}
		skip = max(0, skip-len(lines))
	}
	p.trim()
}

func (p *playList) row(buf uv.ScreenBuffer, x, y int, line string, marked bool) {
	if marked {
		look.Put(buf, x, y, 1, p.lk.Bar, "▌")
	}
	look.PutStyled(buf, x+2, y, p.width, line)
}

// trim forgets the layouts that were made longest ago.
func (p *playList) trim() {
	for len(p.laid) > keptLayouts {
		old := p.laid[0]
		p.laid = p.laid[1:]
		old.lines = nil
	}
}

// layout is the item's lines: its name, its text, a blank one, and what stands
// under it where a scene ends.
func (p *playList) layout(it *item) []string {
	mark := p.marks.at[it.msg.ID]
	key := layoutKey{it.version, p.width, p.lk.Gen, p.pictures.Version(it.msg.Picture), it.unfolded, p.faded(it), mark}
	if it.msg.Picture == nil {
		key.pictures = 0
	}
	if it.lines != nil && it.key == key {
		return it.lines
	}
	if it.lines == nil {
		p.laid = append(p.laid, it)
	}
	it.key = key
	lines := append(it.lines[:0:0], p.heading(it))
	if it.msg.Role == storage.SceneCapture {
		lines = append(lines, p.pictures.Lines(it.msg.Picture, p.width, p.height, p.lk)...)
	} else {
		lines = append(lines, p.thoughts(it)...)
		lines = append(lines, p.speech(it)...)
	}
	words := p.ending(it.msg)
	if it.fault != "" {
		words = "— no reply: " + it.fault
	}
	if words != "" {
		for _, l := range look.Wrap(words, p.width) {
			lines = append(lines, p.lk.Warning.Styled(l))
		}
	}
	it.own = len(lines)
	it.lines = append(lines, "")
	if mark != nil {
		it.lines = append(it.lines, p.under(mark)...)
	}
	return it.lines
}

// speech is the message's own text, laid out anew only in its last block while
// it grows.
func (p *playList) speech(it *item) []string {
	if it.msg.State == storage.Draft {
		if it.growing == nil {
			it.growing = prose.NewStreamer(p.width, p.lk.Prose)
			it.growing.Append(it.msg.Content)
		}
		return it.growing.Lines()
	}
	it.growing = nil
	st := p.lk.Prose
	if it.key.faded {
		st = p.lk.Faded
	}
	return prose.Layout(it.msg.Content, p.width, st)
}

func (p *playList) thoughts(it *item) []string {
	text := strings.TrimSpace(it.msg.Thinking)
	if text == "" {
		return nil
	}
	words := look.Plural(len(strings.Fields(text)), "word")
	if !it.unfolded {
		return []string{p.lk.Dim.Styled("▸ thought for " + words)}
	}
	lines := []string{p.lk.Dim.Styled("▾ thought for " + words)}
	for _, l := range look.Wrap(text, max(1, p.width-2)) {
		lines = append(lines, p.lk.Dim.Styled("  "+l))
	}
	return lines
}

// redress takes a new look.
func (p *playList) redress(lk *look.Look) {
	p.lk = lk
	for _, it := range p.items {
		it.growing = nil
	}
}
