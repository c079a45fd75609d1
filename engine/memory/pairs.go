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

// maxPairs is the maximum number of contradictions, and of duplicates, in a view.
const maxPairs = 60

// replacedFact is a fact that a model has replaced with a memory, and why.
type replacedFact struct {
	listedFact
	by  storage.MemoryID
	why string
}

// replacedBy finds the facts that a model has replaced, or may have replaced, with a memory:
// memories, hooks, and lines of recaps and lorebooks.
func (g *factGatherer) replacedBy(p *Paths) {
	add := func(x statement, mentions []storage.Mention, e storage.End) {
		met := func(o replacedFact) bool { return o.by == e.By && text.Equal(o.Text, x.text) }
		if e.By == "" || slices.ContainsFunc(g.replaced, met) {
			return
		}
		x.from = MessagesOf(mentions, g.chat.ID)
		x.knownTo = func(at chats.Viewpoint) bool { return at.MayKnow(p.witnesses(mentions)) }
		g.replaced = append(g.replaced, replacedFact{g.finish(x), e.By, e.Why})
	}
	for _, x := range p.replaced() {
		home := "an earlier memory"
		if x.hook != nil {
			home = "an earlier hook"
		}
		add(statement{at: x.address(), kind: facts.Kind(x.address().kind), home: home, text: x.text()},
			*x.mentions(), x.end)
	}
	for _, e := range scenes.OutdatedLines(g.tx, g.chat.ID, g.chat.Head) {
		mention := storage.Mention{Chat: g.chat.ID, Node: e.Node, Sources: e.Rests, Witnesses: e.Witnesses}
		add(statement{at: address{kind: endedHome, record: scenes.TextHash(e.Text)[:16]}, kind: facts.Recap,
			home: "a recap or the lorebook", text: e.Text}, []storage.Mention{mention}, e.End)
	}
}

// contradictions adds the facts that a model has replaced, paired with the replacements, if the
// view's character knows both.
func (v *FactList) contradictions(list []replacedFact) {
	for i := range list {
		x := &list[i]
		newer := address{kind: memoryHome, record: string(x.by)}.String()
		if len(v.Contradictions) == maxPairs || v.Find(newer) == nil || x.ID == newer {
			continue
		}
		v.Contradictions = append(v.Contradictions,
			Pair{Older: x.ID, Newer: newer, Later: newer, Reason: oneLine(x.why)})
		if v.Find(x.ID) == nil {
			v.ended = append(v.ended, x.Fact)
		}
	}
}

// duplicates adds pairs of facts of one kind with the same text that somebody knows both of. A
// recap line and a memory with the same text are no duplicates.
func (v *FactList) duplicates() {
	has := map[string][]int{}
	for i := range v.Facts {
		key := scene.BulletKey(v.Facts[i].Text)
		for _, n := range has[key] {
			a, b := &v.Facts[n], &v.Facts[i]
			if b.depth < a.depth {
				a, b = b, a
			}
			if a.Kind == b.Kind && shareKnower(a, b) && len(v.Duplicates) < maxPairs {
				v.Duplicates = append(v.Duplicates, Pair{Older: a.ID, Newer: b.ID})
			}
		}
		has[key] = append(has[key], i)
	}
}

// shareKnower reports whether somebody may know both of two facts.
func shareKnower(a, b *Fact) bool {
	return a.Everybody || b.Everybody ||
		slices.ContainsFunc(a.Knowers, func(k Knower) bool { return slices.Contains(b.Knowers, k) })
}
