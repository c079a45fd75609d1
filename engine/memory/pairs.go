package memory

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mostPairs is how many contradictions, and how many duplicates, a view shows.
const mostPairs = 60

// replaced is a fact in whose place a model has put a memory, and why.
type replaced struct {
	held
	by  storage.MemoryID
	why string
}

// replacedBy finds the facts that a model has said are outdated, or may be, by a memory: memories,
// hooks, and lines of recaps and lorebooks.
func (g *gathering) replacedBy(p *Paths) {
	add := func(x stated, told []storage.StoryPlace, e storage.End) {
		met := func(o replaced) bool { return o.by == e.By && text.Equal(o.Text, x.text) }
		if e.By == "" || slices.ContainsFunc(g.replaced, met) {
			return
		}
		x.from = MessagesOf(told, g.chat.ID)
		x.may = func(at chats.Moment) bool { return at.May(p.witnesses(told)) }
		g.replaced = append(g.replaced, replaced{g.finished(x), e.By, e.Why})
	}
	for _, x := range p.replaced() {
		home := "what was remembered"
		if x.hook != nil {
			home = "what was to be brought up"
		}
		add(stated{at: x.address(), kind: facts.Kind(x.address().kind), home: home, text: x.text()}, *x.told(), x.end)
	}
	for _, e := range scenes.LinesOutdated(g.tx, g.chat.ID, g.chat.Head) {
		told := storage.StoryPlace{Chat: g.chat.ID, Node: e.Node, Sources: e.Rests, Witnesses: e.Witnesses}
		add(stated{at: address{kind: endedHome, record: scenes.TextHash(e.Text)[:16]}, kind: facts.Recap,
			home: "a recap or the lorebook", text: e.Text}, []storage.StoryPlace{told}, e.End)
	}
}

// contradictions puts into a view the facts that a model has replaced, with what it put there. Both
// are known to whom the view is of.
func (v *FactList) contradictions(list []replaced) {
	for i := range list {
		x := &list[i]
		newer := address{kind: memoryHome, record: string(x.by)}.String()
		if len(v.Contradictions) == mostPairs || v.Find(newer) == nil || x.ID == newer {
			continue
		}
		v.Contradictions = append(v.Contradictions, Pair{Older: x.ID, Newer: newer, Later: newer, Reason: oneLine(x.why)})
		if v.Find(x.ID) == nil {
			v.ended = append(v.ended, x.Fact)
		}
	}
}

// duplicates puts into a view the facts with the same text that somebody is told both of. A line of
// a recap says what a memory says on purpose: two of a kind are meant.
func (v *FactList) duplicates() {
	has := map[string][]int{}
	for i := range v.Facts {
		key := scene.BulletKey(v.Facts[i].Text)
		for _, n := range has[key] {
			a, b := &v.Facts[n], &v.Facts[i]
			if b.depth < a.depth {
				a, b = b, a
			}
			if a.Kind == b.Kind && together(a, b) && len(v.Duplicates) < mostPairs {
				v.Duplicates = append(v.Duplicates, Pair{Older: a.ID, Newer: b.ID})
			}
		}
		has[key] = append(has[key], i)
	}
}

// together reports whether somebody may know both of two facts.
func together(a, b *Fact) bool {
	return a.Everybody || b.Everybody || slices.ContainsFunc(a.Knowers, func(k Knower) bool { return slices.Contains(b.Knowers, k) })
}
