package play

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stored is a chat as the store has it, for a list that reads of it what it wants.
type stored []chats.Message

func (s stored) at(id storage.NodeID) int { return indexOf(s, id) }

func (s stored) around(i, n int) chats.MessageRange {
	from := max(0, i-n)
	return chats.MessageRange{Messages: slices.Clone(s[from:min(len(s), i+n+1)]), Older: from > 0}
}

// read does what the part does when the view is near an edge.
func (s stored) read(p *List) {
	switch {
	case p.NearTop():
		node := p.Items[p.rangeStart(p.Anchor)].Msg.ID
		from := max(0, s.at(node)-pageRead)
		p.older(node, slices.Clone(s[from:s.at(node)]), from > 0)
	case p.nearGap():
		node := p.Items[p.gap-1].Msg.ID
		i := s.at(node)
		p.newer(node, slices.Clone(s[i+1:min(len(s), i+1+pageRead)]))
	}
}

// Wherever the user goes in a long chat, what is at hand are messages in a row and the
// newest ones, as many as are kept, and reading and dropping move nothing that is in view.
func TestList_HoldsWhatIsNear(t *testing.T) {
	all := make(stored, 9000)
	for i := range all {
		all[i] = bareMessage(i)
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := bareList(rt, 0, 50, 20)
		p.Show(chats.MessageRange{}, slices.Clone(all[len(all)-firstRead:]), true, "")
		p.Rows = make([]int, 20)
		p.Bottom()
		for range 20 {
			switch rapid.IntRange(0, 6).Draw(rt, "act") {
			case 0:
				p.Scroll(rapid.IntRange(-900, 900).Draw(rt, "lines"))
			case 1:
				p.Choose(max(p.Selected-1, p.rangeStart(p.Selected)))
			case 2:
				p.Choose(min(p.Selected+1, p.rangeEnd(p.Selected)))
			case 3:
				p.Bottom()
			case 4:
				i := rapid.IntRange(0, len(all)-1).Draw(rt, "message")
				if p.Find(all[i].ID) < 0 {
					p.goTo(all.around(i, rapid.SampledFrom([]int{10, jumpRead, 1150}).Draw(rt, "around")))
				}
				p.ToTop(p.Find(all[i].ID))
				if p.Selected < 0 {
					rt.Fatalf("message %d is not at hand", i)
				}
			case 5: // it is read again
				far, anchor := chats.MessageRange{}, p.Items[p.Anchor].Msg
				if node, n := p.inView(); node != "" {
					far = all.around(anchor.Depth, n)
				}
				n := min(len(all), max(firstRead, len(p.Items)-p.gap+8))
				p.Show(far, slices.Clone(all[len(all)-n:]), n < len(all), "")
				if p.Items[p.Anchor].Msg.ID != anchor.ID {
					rt.Fatalf("the view went from %s to %s", anchor.ID, p.Items[p.Anchor].Msg.ID)
				}
			case 6:
				for range rapid.IntRange(1, 12).Draw(rt, "pages") {
					p.Scroll(18)
					all.read(p)
				}
			}
			anchor, below := p.Items[p.Anchor].Msg.ID, p.Below
			all.read(p)
			if p.Items[p.Anchor].Msg.ID != anchor || p.Below != below {
				rt.Fatalf("reading moved the view from %s", anchor)
			}
			for i, it := range p.Items {
				if i > 0 && i != p.gap && it.Msg.Depth != p.Items[i-1].Msg.Depth+1 {
					rt.Fatalf("message %d follows %d", it.Msg.Depth, p.Items[i-1].Msg.Depth)
				}
			}
			if first := p.Items[0].Msg.Depth; p.More != (first > 0) ||
				p.Items[len(p.Items)-1].Msg.Depth != len(all)-1 || len(p.Items) > maxItems+pageRead ||
				p.gap > 0 && p.Items[p.gap].Msg.Depth <= p.Items[p.gap-1].Msg.Depth || p.Selected < 0 ||
				p.Selected >= len(p.Items) {
				rt.Fatalf("%d messages from %d on, more %t, gap at %d, selected %d", len(p.Items), first, p.More,
					p.gap, p.Selected)
			}
		}
	})
}

// A message that replaces those below it closes the gap above them.
func TestList_DropsBelowTheGap(t *testing.T) {
	all := make(stored, 1000)
	for i := range all {
		all[i] = bareMessage(i)
	}
	p := bareList(t, 0, 50, 20)
	p.Show(chats.MessageRange{}, slices.Clone(all[800:]), true, "")
	p.goTo(all.around(100, 10))
	if p.gap != 21 || !p.More || p.rangeStart(5) != 0 || p.rangeEnd(5) != 20 || p.rangeStart(21) != 21 {
		t.Fatalf("a gap at %d", p.gap)
	}
	p.DropAfter("n100")
	if p.gap != 0 || len(p.Items) != 11 || !p.Follow {
		t.Errorf("a gap at %d of %d messages", p.gap, len(p.Items))
	}
}

// A list without messages has no edges to be near to.
func TestList_EmptyIsNearNothing(t *testing.T) {
	p := bareList(t, 0, 50, 20)
	p.Rows = make([]int, 20)
	if node, _ := p.inView(); p.NearTop() || p.nearGap() || node != "" || p.rangeEnd(p.Selected) != -1 {
		t.Errorf("near the top %t, the gap %t, in view %q", p.NearTop(), p.nearGap(), node)
	}
}
