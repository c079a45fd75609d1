package play

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A list holds the newest messages of a chat, and where the user is far above them a
// stretch there: Items before gap. What lies between the two is in the store.

const (
	// pageRead is how many messages are read at once above or below what is at hand.
	pageRead = 300
	// jumpRead is how many are read on each side of a message that is gone to.
	jumpRead = 150
	// nearEdge is how near the view comes to the edge of a stretch before more is read.
	nearEdge = 60
	// maxItems is how many messages are at hand at most, keptAround how many of those on
	// each side of the view are kept then, and firstRead of the newest. A chat of 100,000
	// messages took 350 MiB when all of it was gone through and kept.
	maxItems   = 2400
	keptAround = 800
)

// rangeStart returns the first index of the stretch that i belongs to, end the last one.
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

// indexOf is where a message stands, -1 for nowhere.
func indexOf(msgs []chats.Message, id storage.NodeID) int {
	return slices.IndexFunc(msgs, func(m chats.Message) bool { return m.ID == id })
}

// insert puts messages before the one at i.
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

// older puts messages above the stretch that begins with a node, where one does. more
// reports whether there are others above them.
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
			p.gap = 0 // they have met
		}
	}
	p.dropDistant()
}

// newer puts messages below the stretch that ends with a node, where one does.
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

// inView returns a message of the stretch further up, and how many are at hand on each side
// of it, where that stretch is in view; else "".
func (p *List) inView() (storage.NodeID, int) {
	if p.gap == 0 || p.Anchor >= p.gap {
		return "", 0
	}
	return p.Items[p.Anchor].Msg.ID, min(max(p.Anchor, p.gap-p.Anchor), keptAround)
}

// goTo replaces what lies above the newest messages by a stretch of the chat, which need
// not be next to them. The view has to be brought there.
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

// dropDistant drops the messages that are far from the view and from the end, where there are
// many.
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

// drop takes messages out, from the top or on both sides of where the gap is to be. Where
// the selected one is among them, the one in view is selected instead.
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
