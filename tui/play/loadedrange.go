package play

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A list holds the newest messages of a chat. If the user is far above them, it also holds a range
// there: Items before gap. The messages between the two are in the store.

const (
	// pageRead is the number of messages that are read together above or below the loaded ones.
	pageRead = 300
	// jumpRead is the number of messages read on each side of a jump's target.
	jumpRead = 150
	// nearEdge is the distance between the view and the edge of a loaded range, in messages, at
	// which more are read.
	nearEdge = 60
	// maxItems is the maximum number of loaded messages. Above it, keptAround messages on each side
	// of the view are kept, and firstRead of the newest. A chat of 100,000 messages took 350 MiB
	// when all of it was visited and kept.
	maxItems   = 2400
	keptAround = 800
)

// rangeStart returns the first index of the range with index i, rangeEnd the last one.
func (p *List) rangeStart(i int) int {
	if i >= p.gap {
		return p.gap
	}
	return 0
}

func (p *List) rangeEnd(i int) int {
	if i < p.gap && p.gap > 0 {
		return p.gap - 1
	}
	return len(p.Items) - 1
}

// olderThan reports whether the store has messages just above the stretch of i.
func (p *List) olderThan(i int) bool { return p.rangeStart(i) > 0 || p.More }

// NearTop reports whether older messages should be read soon.
func (p *List) NearTop() bool {
	return !p.Busy && len(p.Rows) > 0 && p.Anchor-p.rangeStart(p.Anchor) < nearEdge && p.olderThan(p.Anchor)
}

// nearGap reports whether the messages that follow the stretch in view should be read soon.
func (p *List) nearGap() bool {
	return !p.Busy && p.gap > 0 && p.Anchor < p.gap && p.gap-p.Anchor <= nearEdge
}

// indexOf returns the index of a message, -1 for none.
func indexOf(msgs []chats.Message, id storage.NodeID) int {
	return slices.IndexFunc(msgs, func(m chats.Message) bool { return m.ID == id })
}

// insert inserts messages before index i.
func (p *List) insert(i int, msgs []chats.Message) {
	items := make([]*Item, len(msgs))
	for j, m := range msgs {
		items[j] = &Item{Msg: m}
	}
	p.Items = slices.Insert(p.Items, i, items...)
	if p.Anchor >= i {
		p.Anchor += len(msgs)
	}
	if p.Selected >= i {
		p.Selected += len(msgs)
	}
}

// older adds messages above the range that begins with a node, if there is one. more reports
// whether there are further messages above them.
func (p *List) older(node storage.NodeID, msgs []chats.Message, more bool) {
	i := p.Find(node)
	if i < 0 || i != p.rangeStart(i) {
		return
	}
	if i == 0 {
		p.insert(0, msgs)
		if p.gap > 0 {
			p.gap += len(msgs)
		}
		p.More = more
	} else {
		last := p.Items[i-1].Msg.ID
		at := indexOf(msgs, last)
		p.insert(i, msgs[at+1:])
		if at >= 0 {
			p.gap = 0 // the ranges have met
		}
	}
	p.dropDistant()
}

// newer adds messages below the range that ends with a node, if there is one.
func (p *List) newer(node storage.NodeID, msgs []chats.Message) {
	i := p.Find(node)
	if i < 0 || i != p.gap-1 {
		return
	}
	first := p.Items[p.gap].Msg.ID
	at := indexOf(msgs, first)
	if at >= 0 {
		msgs = msgs[:at]
	}
	p.insert(p.gap, msgs)
	p.gap += len(msgs)
	if at >= 0 {
		p.gap = 0
	}
	p.dropDistant()
}

// inView returns a message of the range further up, and how many messages are loaded on each side
// of it, if that range is in view; else "".
func (p *List) inView() (storage.NodeID, int) {
	if p.gap == 0 || p.Anchor >= p.gap {
		return "", 0
	}
	return p.Items[p.Anchor].Msg.ID, min(max(p.Anchor, p.gap-p.Anchor), keptAround)
}

// goTo replaces the messages above the newest ones by a range of the chat, which need not be
// adjacent to them. The caller must scroll there.
func (p *List) goTo(s chats.MessageRange) {
	tail := p.Items[p.gap:]
	tail = tail[max(0, len(tail)-firstRead):]
	at := len(s.Messages)
	if len(tail) > 0 {
		if i := indexOf(s.Messages, tail[0].Msg.ID); i >= 0 {
			at = i
		}
	}
	items := make([]*Item, 0, at+len(tail))
	for _, m := range s.Messages[:at] {
		items = append(items, &Item{Msg: m})
	}
	p.gap = 0
	if at == len(s.Messages) && len(tail) > 0 && at > 0 {
		p.gap = at
	}
	p.Items = append(items, tail...)
	p.More, p.Anchor, p.Selected, p.Follow, p.Below = s.Older, len(p.Items)-1, len(p.Items)-1, true, 0
}

// dropDistant drops messages that are far from the view and from the end, if there are too many.
func (p *List) dropDistant() {
	if len(p.Items) <= maxItems {
		return
	}
	if p.Anchor >= p.gap && p.gap > 0 {
		p.drop(0, p.gap)
	}
	p.drop(0, p.Anchor-keptAround)
	if p.gap > 0 {
		p.drop(p.Anchor+keptAround, p.gap)
		return
	}
	if from, to := p.Anchor+keptAround, len(p.Items)-firstRead; from < to {
		p.drop(from, to)
		p.gap = from
	}
}

// drop removes messages, from the top or on both sides of the new gap. If the selected one is among
// them, the one in view is selected instead.
func (p *List) drop(from, to int) {
	if from >= to {
		return
	}
	p.Items = slices.Delete(p.Items, from, to)
	n := to - from
	if p.gap >= to {
		p.gap -= n
	}
	gone := p.Selected >= from && p.Selected < to
	if p.Selected >= to {
		p.Selected -= n
	}
	if p.Anchor >= to {
		p.Anchor -= n
	}
	if gone {
		p.Selected = p.Anchor
	}
	p.More = p.More || from == 0
}
