package memory

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// EndEditedFacts updates everything derived from a message that the user has edited: memories,
// hooks, recap lines and lorebook facts. Facts with exactly the words of a removed sentence end,
// and hold again once the message has it again. Facts that share words with the change become
// doubts, see Doubts. It runs in the transaction of the edit.
func (svc *Service) EndEditedFacts(tx *storage.Tx, r chats.RewrittenMessages) error {
	if r.Was == "" || len(r.Nodes) != 1 {
		return nil
	}
	n, err := tx.Node(r.Chat, r.Nodes[0])
	if err != nil {
		return err
	}
	c, err := storage.Chats.Get(tx, r.Chat)
	if err != nil {
		return err
	}
	e := newEdit(r.Was, n.Content)
	if len(e.removed) == 0 {
		return nil
	}
	mention := storage.Mention{Chat: r.Chat, Node: n.ID, Depth: n.Depth, Sources: []storage.NodeID{n.ID},
		At: svc.core.Config.Now()}
	mention.Witnesses = chats.KnownTo(c, []storage.Node{n})
	e.end = storage.End{Mention: mention, Kind: storage.Corrected, Why: "the message was edited"}
	if len(e.added) == 1 {
		e.end.Instead = failure.FirstRunes(e.added[0], 200)
	}
	for _, x := range itemsOf(tx, chats.ScopeOf(c), "") {
		if !slices.ContainsFunc(*x.mentions(), e.isSource) {
			continue
		}
		ends := slices.Clone(*x.ends())
		var at []*storage.End
		for i := range ends {
			at = append(at, &ends[i])
		}
		added, changed := e.apply(x.text(), at)
		if added != nil {
			ends = append(ends, *added)
		}
		if !changed {
			continue
		}
		*x.ends() = ends[max(0, len(ends)-maxEnds):]
		if err := x.put(tx, chats.ScopeOf(c), mention.At); err != nil {
			return err
		}
	}
	return svc.correctLines(tx, c, e)
}

// edit describes an edit of a message, and how it ends what was derived from that message.
type edit struct {
	end                      storage.End
	removed, added           []string      // sentences that went, and that came
	removedWords, addedWords []string      // words that went, and that came
	changed                  []facts.Words // of the sentences that went
}

// newEdit compares a message before and after an edit.
func newEdit(was, now string) *edit {
	before, after := sentences(was), sentences(now)
	lacks := func(list []string) func(string) bool {
		return func(s string) bool { return isOneOf(s, list) }
	}
	e := &edit{removed: slices.DeleteFunc(slices.Clone(before), lacks(after)),
		added: slices.DeleteFunc(after, lacks(before))}
	e.removedWords = facts.WordsOf(strings.Join(e.removed, "\n")).Without(facts.WordsOf(now))
	e.addedWords = facts.WordsOf(strings.Join(e.added, "\n")).Without(facts.WordsOf(was))
	for _, s := range e.removed {
		e.changed = append(e.changed, facts.WordsOf(s))
	}
	return e
}

// isOneOf reports whether a statement is one of some sentences.
func isOneOf(statement string, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return text.Equal(s, statement) })
}

// isSource reports whether a mention is at the message or came from it.
func (e *edit) isSource(at storage.Mention) bool {
	return at.Chat == e.end.Chat && (at.Node == e.end.Node || slices.Contains(at.Sources, e.end.Node))
}

// apply updates the ends of a statement that came from the message; added is a new end, if any.
func (e *edit) apply(statement string, ends []*storage.End) (added *storage.End, changed bool) {
	ends = slices.DeleteFunc(ends, func(o *storage.End) bool {
		return o.Kind != storage.Corrected || o.Chat != e.end.Chat || o.Node != e.end.Node
	})
	mark := func(doubts, sure, undone bool) (found bool) {
		for _, o := range ends {
			if o.Doubt && doubts || !o.Doubt && sure {
				found, changed = true, changed || o.Undone != undone
				o.Undone = undone
			}
		}
		return found
	}
	end := e.end
	switch {
	case isOneOf(statement, e.removed):
		if mark(false, true, false) {
			return nil, changed
		}
		return &end, true
	case isOneOf(statement, e.added):
		mark(true, true, true)
	case e.restores(statement):
		mark(true, false, true)
	case e.touches(statement):
		if slices.ContainsFunc(ends, func(o *storage.End) bool { return !o.Doubt && !o.Undone }) {
			return nil, false // it has ended
		}
		mark(true, false, true) // by an earlier edit
		end.Doubt = true
		return &end, true
	}
	return nil, changed
}

// touches reports whether the user must confirm a statement that came from the message: it has a
// removed word or, if no word was removed, most words of a changed sentence.
func (e *edit) touches(statement string) bool {
	w := facts.WordsOf(statement)
	if len(e.removedWords) > 0 {
		return slices.ContainsFunc(e.removedWords, w.HasWord)
	}
	return slices.ContainsFunc(e.changed, func(s facts.Words) bool { return w.Shared(s)*2 > len(s.All) })
}

// restores reports whether a statement is about text that was added to the message: it has an added
// word and no removed one.
func (e *edit) restores(statement string) bool {
	w := facts.WordsOf(statement)
	return slices.ContainsFunc(e.addedWords, w.HasWord) && !slices.ContainsFunc(e.removedWords, w.HasWord)
}

// correctLines ends or reopens the recap lines on the chat's path and the lorebook facts that came
// from the message.
func (svc *Service) correctLines(tx *storage.Tx, c storage.Chat, e *edit) error {
	list := scenes.StatementEnds(tx, c.ID)
	statements, err := svc.lore.FactsFrom(tx, c, e.end.Node)
	if err != nil {
		return err
	}
	add := func(r storage.Recap) {
		for _, b := range scene.Bullets(r.Text) {
			if slices.Contains(scene.SourcesOf(r, b.Text), e.end.Node) {
				statements = append(statements, scene.Statements(b.Text)...)
			}
		}
	}
	for _, b := range storage.Breaks.All(tx, c.ID) {
		if r, err := storage.Recaps.Get(tx, c.ID, b.Recap()); err == nil {
			add(r)
		}
	}
	if r, _, err := scenes.RunningAt(tx, c.ID, c.Head); err == nil && r != nil {
		add(*r)
	}
	for _, l := range list {
		if l.Node == e.end.Node { // nothing may state it any more
			statements = append(statements, l.Text)
		}
	}
	changed, met := false, map[string]bool{}
	for _, s := range statements {
		if met[scene.BulletKey(s)] {
			continue
		}
		met[scene.BulletKey(s)] = true
		var ends []*storage.End
		for i := range list {
			if scene.SameBullet(list[i].Text, s) {
				ends = append(ends, &list[i].End)
			}
		}
		added, did := e.apply(s, ends)
		if added != nil {
			list = append(list, storage.StatementEnd{Text: s, Rests: []storage.NodeID{e.end.Node}, End: *added})
		}
		changed = changed || did
	}
	if !changed {
		return nil
	}
	return scenes.PutStatementEnds(tx, c.ID, list)
}
