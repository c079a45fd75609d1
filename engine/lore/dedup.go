package lore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// deduplicator removes facts from entries in the history that the prompt contains anyway: in the
// messages of its window, or in its recap. Both stay as they are until the history is trimmed, and
// so does the result.
type deduplicator struct {
	shown map[storage.NodeID]int // the depths of the messages of the history, as the speaker is shown it
	// The facts of recapText, the recap of the last call.
	recap     *facts.PromptFacts
	recapText string
}

// sourcedFact is a fact of an entry that came from scenes.
type sourcedFact struct {
	prompt.Statement
	fact  string // as the entry has it
	first int    // depth of its oldest source, -1 if the speaker does not see all
}

// messagesTell names the messages in the prompt as the source of a fact.
const messagesTell = "the messages in context"

func newDeduplicator(s *prompt.Snapshot) *deduplicator {
	o := &deduplicator{shown: map[storage.NodeID]int{}}
	for i := range s.History {
		if n := &s.History[i]; InPrompt(n) {
			o.shown[n.ID] = n.Depth
		}
	}
	return o
}

// learnedFact finds the sources of a fact in the history.
func (o *deduplicator) learnedFact(fact string, s prompt.Statement) sourcedFact {
	l := sourcedFact{Statement: s, fact: fact, first: -1}
	for i, id := range s.Messages {
		depth, ok := o.shown[id]
		if !ok {
			l.first = -1
			break
		}
		if i == 0 || depth < l.first {
			l.first = depth
		}
	}
	return l
}

// statedBy returns what states a fact in a prompt whose history begins at the depth first: the
// messages, if all its sources are there, or a line of the recap with the same text; "" if nothing
// does.
func (o *deduplicator) statedBy(l *sourcedFact, first int, m *prompt.RecapBlock) string {
	if l.first >= 0 && l.first >= first {
		return messagesTell
	}
	if m == nil || m.Text == "" {
		return ""
	}
	if o.recap == nil || o.recapText != m.Text {
		o.recap, o.recapText = &facts.PromptFacts{}, m.Text
		scenes.AddRecap(o.recap, m)
	}
	by, _ := o.recap.LineSource(l.Text)
	return by
}

// remainder returns the facts of an entry that the rest of the prompt does not contain, and a
// description of the omitted ones.
func (o *deduplicator) remainder(t *shownEntry, first int,
	m *prompt.RecapBlock) (text string, rest []prompt.Statement, less string) {
	left, by := map[string]bool{}, []string{}
	for i := range t.sourced {
		if who := o.statedBy(&t.sourced[i], first, m); who != "" {
			if left[t.sourced[i].fact] = true; !slices.Contains(by, who) {
				by = append(by, who)
			}
		}
	}
	if len(left) == 0 {
		return t.text, t.facts, ""
	}
	if text = strings.TrimSpace(plist.KeepFacts(t.full, t.content,
		func(fact string) bool { return t.keep[fact] && !left[fact] })); text == "" && len(left) < len(t.keep) {
		return t.text, t.facts, "" // it is unknown which part is already stated
	}
	for _, s := range t.facts {
		if !slices.ContainsFunc(t.sourced, func(l sourcedFact) bool { return l.Text == s.Text && left[l.fact] }) {
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

// trim limits the item to facts that the rest of its prompt does not contain, for any beginning of
// the history.
func (o *deduplicator) trim(item *prompt.LoreItem, t shownEntry, s *prompt.Snapshot) {
	if len(t.sourced) == 0 {
		return
	}
	whole := *item
	tell := func(first int, m *prompt.RecapBlock) prompt.LoreItem {
		now := whole
		now.Text, now.Facts, now.Less = o.remainder(&t, first, m)
		now.Less = joinReasons(whole.Less, now.Less)
		return now
	}
	now := tell(historyStart(s), s.Recap)
	now.Recompute = tell
	*item = now
}

// historyStart returns the depth at which the history of a snapshot's prompt begins, unless it
// folds.
func historyStart(s *prompt.Snapshot) int {
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

func joinReasons(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
