package lore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// once leaves out of entries that stand in the history what the rest of the prompt tells
// already: the messages in its window, or its recap. Both stay as they are until the
// history folds, and so does what entries tell beside them.
type once struct {
	svc   *Service
	chat  storage.ChatID
	shown map[storage.NodeID]*storage.Node // of the history, as the speaker is shown it
	words map[storage.NodeID]facts.Words   // of those that were looked at
	// What the recap tells, as it was asked about last.
	recap *facts.Telling
	of    string
}

// lent is a fact that scenes have taught an entry.
type lent struct {
	script.Statement
	fact string // as the entry has it
	name facts.Words
	from []source // its messages that the speaker may be shown; nil where not all are at hand
	says int      // the depth of the newest message that says it, -1 for none
}

// source is a message that a fact came from.
type source struct {
	depth int
	words facts.Words
}

// messagesTell is how the messages of a prompt are named where they tell something.
const messagesTell = "the messages in the prompt"

func newOnce(svc *Service, s *script.Snapshot) *once {
	o := &once{svc: svc, chat: s.Chat, shown: map[storage.NodeID]*storage.Node{}, words: map[storage.NodeID]facts.Words{}}
	for i := range s.History {
		if n := &s.History[i]; Said(n) {
			o.shown[n.ID] = n
		}
	}
	return o
}

// lend finds out which messages say a fact.
func (o *once) lend(name, fact string, s script.Statement) lent {
	l := lent{Statement: s, fact: fact, name: facts.WordsOf(name), says: -1}
	words := facts.WordsOf(s.Text)
	for _, id := range s.Messages {
		n := o.shown[id]
		if n == nil {
			continue
		}
		w, met := o.words[id]
		if !met {
			w = facts.WordsOf(n.Name + ": " + n.Content)
			o.words[id] = w
		}
		l.from = append(l.from, source{n.Depth, w})
		if facts.Covers(w, words) {
			l.says = max(l.says, n.Depth)
		}
	}
	if len(l.from) < len(s.Messages) {
		l.from = nil
	}
	return l
}

// leastSaid is how much of a fact's words the messages must have that it came from, where
// none of them says it plainly.
const leastSaid = 0.6

// inWindow tells whether the messages from a depth on tell a fact: one of them says it, or
// all that it came from are there, and it is to be found in them.
func (l *lent) inWindow(first int) bool {
	if l.says >= first {
		return true
	}
	if len(l.from) == 0 || slices.ContainsFunc(l.from, func(s source) bool { return s.depth < first }) {
		return false
	}
	var texts []facts.Words
	for _, s := range l.from {
		texts = append(texts, s.words)
	}
	return facts.Share(facts.WordsOf(l.Text), l.name, texts...) >= leastSaid
}

// tells names what tells a fact in a prompt whose history begins at a depth, "" for
// nothing.
func (o *once) tells(tx *storage.Tx, l *lent, first int, m *script.Memory) string {
	if l.inWindow(first) {
		return messagesTell
	}
	if m == nil || m.Text == "" {
		return ""
	}
	if o.recap == nil || o.of != m.Text {
		o.recap, o.of = &facts.Telling{}, m.Text
		scenes.Tells(o.recap, m)
	}
	recap := o.recap.Reading(func(id storage.NodeID) string {
		n, _ := tx.Node(o.chat, id) // of one that is gone there are no words
		return n.Content
	})
	by, _ := recap.ByLine(l.Text, l.Messages)
	return by
}

// beside is of what an entry tells what a prompt does not tell without it, and what is
// left out.
func (o *once) beside(tx *storage.Tx, t *told, first int, m *script.Memory) (text string, rest []script.Statement, less string) {
	left, by := map[string]bool{}, []string{}
	for i := range t.lent {
		if who := o.tells(tx, &t.lent[i], first, m); who != "" {
			if left[t.lent[i].fact] = true; !slices.Contains(by, who) {
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
		if !slices.ContainsFunc(t.lent, func(l lent) bool { return l.Text == s.Text && left[l.fact] }) {
			rest = append(rest, s)
		}
	}
	slices.Sort(by)
	less = "told already by " + strings.Join(by, " and ")
	if text != "" {
		less = fmt.Sprintf("%s of it %s", failure.Count(len(left), "fact"), less)
	}
	return text, rest, less
}

// leave has an item tell only what the rest of its prompt does not, whatever that begins
// with.
func (o *once) leave(tx *storage.Tx, item *script.LoreItem, t told, s *script.Snapshot) {
	if len(t.lent) == 0 {
		return
	}
	whole := *item
	tell := func(tx *storage.Tx, first int, m *script.Memory) script.LoreItem {
		now := whole
		now.Text, now.Facts, now.Less = o.beside(tx, &t, first, m)
		now.Less = joined(whole.Less, now.Less)
		return now
	}
	now := tell(tx, begins(s), s.Memory)
	now.Anew = func(depth int, m *script.Memory) script.LoreItem {
		again := whole
		err := o.svc.core.Store.View(func(tx *storage.Tx) error { again = tell(tx, depth, m); return nil })
		if err != nil {
			o.svc.core.Log.Warn("what a prompt tells twice is not looked for", "chat", o.chat, "err", err)
		}
		return again
	}
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
