package lore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// once leaves out of entries that stand in the history what the rest of the prompt tells
// already: the messages in its window, or its recap. Both stay as they are until the
// history folds, and so does what entries tell beside them.
type once struct {
	shown map[storage.NodeID]int // the depths of the messages of the history, as the speaker is shown it
	// What the recap tells, as it was asked about last.
	recap *facts.Telling
	of    string
}

// learnedFact is a fact that scenes have taught an entry.
type learnedFact struct {
	script.Statement
	fact  string // as the entry has it
	first int    // the depth of its oldest source, -1 where the speaker is not shown all of them
}

// messagesTell is how the messages of a prompt are named where they tell something.
const messagesTell = "the messages in context"

func newOnce(s *script.Snapshot) *once {
	o := &once{shown: map[storage.NodeID]int{}}
	for i := range s.History {
		if n := &s.History[i]; Said(n) {
			o.shown[n.ID] = n.Depth
		}
	}
	return o
}

// learned finds where the sources of a fact stand.
func (o *once) learned(fact string, s script.Statement) learnedFact {
	l := learnedFact{Statement: s, fact: fact, first: -1}
	for i, id := range s.Messages {
		depth, is := o.shown[id]
		if !is {
			l.first = -1
			break
		}
		if i == 0 || depth < l.first {
			l.first = depth
		}
	}
	return l
}

// tells names what tells a fact in a prompt whose history begins at a depth, "" for nothing: all
// its sources, which stand there, or a line of the recap with the same text.
func (o *once) tells(l *learnedFact, first int, m *script.Memory) string {
	if l.first >= 0 && l.first >= first {
		return messagesTell
	}
	if m == nil || m.Text == "" {
		return ""
	}
	if o.recap == nil || o.of != m.Text {
		o.recap, o.of = &facts.Telling{}, m.Text
		scenes.Tells(o.recap, m)
	}
	by, _ := o.recap.ByLine(l.Text)
	return by
}

// beside is of what an entry tells what a prompt does not tell without it, and what is
// left out.
func (o *once) beside(t *shownEntry, first int, m *script.Memory) (text string, rest []script.Statement, less string) {
	left, by := map[string]bool{}, []string{}
	for i := range t.learned {
		if who := o.tells(&t.learned[i], first, m); who != "" {
			if left[t.learned[i].fact] = true; !slices.Contains(by, who) {
				by = append(by, who)
			}
		}
	}
	if len(left) == 0 {
		return t.text, t.facts, ""
	}
	if text = strings.TrimSpace(plist.Only(t.full, t.content, func(fact string) bool { return t.keep[fact] && !left[fact] })); text == "" && len(left) < len(t.keep) {
		return t.text, t.facts, "" // nothing tells which part of it is told
	}
	for _, s := range t.facts {
		if !slices.ContainsFunc(t.learned, func(l learnedFact) bool { return l.Text == s.Text && left[l.fact] }) {
			rest = append(rest, s)
		}
	}
	slices.Sort(by)
	less = "already covered by " + strings.Join(by, " and ")
	if text != "" {
		less = fmt.Sprintf("%s of it %s", failure.Count(len(left), "fact"), less)
	}
	return text, rest, less
}

// leave has an item tell only what the rest of its prompt does not, whatever that begins
// with.
func (o *once) leave(item *script.LoreItem, t shownEntry, s *script.Snapshot) {
	if len(t.learned) == 0 {
		return
	}
	whole := *item
	tell := func(first int, m *script.Memory) script.LoreItem {
		now := whole
		now.Text, now.Facts, now.Less = o.beside(&t, first, m)
		now.Less = joined(whole.Less, now.Less)
		return now
	}
	now := tell(begins(s), s.Memory)
	now.Anew = tell
	*item = now
}

// begins is the depth at which the history of a snapshot's prompt begins, unless it folds.
func begins(s *script.Snapshot) int {
	for i := range s.History {
		if n := &s.History[i]; n.ID == s.Window {
			return n.Depth
		}
	}
	if len(s.History) > 0 {
		return s.History[0].Depth
	}
	return 0
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
