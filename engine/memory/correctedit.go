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

// Correct finds what was made of a message that the user has edited: memories, hooks, lines of
// recaps, and what scenes have taught the lorebook. What says a sentence that was taken out, in its
// very words, ends, and holds again once the message says it again. Of what shares words with the
// change the user is asked, see Doubts. It acts in the transaction of the edit.
func (svc *Service) Correct(tx *storage.Tx, r chats.Rewrite) error {
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
	before, after := sentences(r.Was), sentences(n.Content)
	gone, came := missing(before, after), missing(after, before)
	if len(gone) == 0 {
		return nil
	}
	told := storage.Told{Chat: r.Chat, Node: n.ID, Depth: n.Depth, Sources: []storage.NodeID{n.ID}, At: svc.core.Config.Now()}
	told.Witnesses = chats.KnownTo(c, []storage.Node{n})
	end := storage.End{Told: told, Kind: storage.Corrected, Why: "the message was edited"}
	if len(came) == 1 {
		end.Instead = failure.FirstRunes(came[0], 200)
	}
	e := newEdit(gone, came, r.Was, n.Content)
	mend := Correction{End: end, Unsure: e.touches, Sure: e.restores,
		Gone:  func(statement string) bool { return isOneOf(statement, gone) },
		Again: func(statement string) bool { return isOneOf(statement, came) }}
	if err := Correct(tx, chats.ScopeOf(c), mend); err != nil {
		return err
	}
	return svc.correctLines(tx, c, n.ID, mend)
}

// edit is what an edit has done to a message, by its words.
type edit struct {
	out, in []string      // words that went, and that came
	was     []facts.Words // of the sentences that went
}

// newEdit compares the sentences that went with those that came, in a message that read was and
// reads now.
func newEdit(gone, came []string, was, now string) edit {
	e := edit{out: facts.WordsOf(strings.Join(gone, "\n")).Without(facts.WordsOf(now)),
		in: facts.WordsOf(strings.Join(came, "\n")).Without(facts.WordsOf(was))}
	for _, s := range gone {
		e.was = append(e.was, facts.WordsOf(s))
	}
	return e
}

// touches reports whether the user is asked about a statement that came from the message: it has a
// word that went; where none did, since something was only put in, it has most words of a sentence
// that was changed.
func (e edit) touches(statement string) bool {
	w := facts.WordsOf(statement)
	if len(e.out) > 0 {
		return slices.ContainsFunc(e.out, func(x string) bool { return w.Has(facts.WordsOf(x)) })
	}
	return slices.ContainsFunc(e.was, func(s facts.Words) bool { return w.Shared(s)*2 > len(s.All) })
}

// restores reports whether a statement is about what the message says again: it has a word that
// came, and none that went.
func (e edit) restores(statement string) bool {
	w := facts.WordsOf(statement)
	has := func(x string) bool { return w.Has(facts.WordsOf(x)) }
	return slices.ContainsFunc(e.in, has) && !slices.ContainsFunc(e.out, has)
}

// missing are the sentences of one text that another lacks.
func missing(of, in []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(s string) bool { return slices.Contains(in, s) })
}

// isOneOf reports whether a statement is one of some sentences.
func isOneOf(statement string, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return text.Equal(s, statement) })
}

// correctLines ends the lines of the recaps on the chat's path and the facts of its
// lorebook that came from a message, or opens them again.
func (svc *Service) correctLines(tx *storage.Tx, c storage.Chat, node storage.NodeID, mend Correction) error {
	list := scenes.LineEnds(tx, c.ID)
	changed := false
	for i := range list {
		if x := &list[i]; mend.Again(x.Text) || x.Doubt && mend.Sure(x.Text) {
			if ends, undone := Reopened([]storage.End{x.End}, mend.End); undone {
				x.End, changed = ends[0], true
			}
		}
	}
	end := func(statement string) {
		here := func(o storage.LineEnd) bool {
			return o.Kind == storage.Corrected && o.Node == node && scene.SameBullet(o.Text, statement)
		}
		e, sure := mend.End, mend.Gone(statement)
		if e.Doubt = !sure; !sure && (mend.Again(statement) || !mend.Unsure(statement)) ||
			slices.ContainsFunc(list, func(o storage.LineEnd) bool { return here(o) && !o.Undone && !o.Doubt }) {
			return
		}
		list = slices.DeleteFunc(list, func(o storage.LineEnd) bool { return here(o) && o.Doubt })
		list, changed = append(list, storage.LineEnd{Text: statement, Rests: []storage.NodeID{node}, End: e}), true
	}
	add := func(r storage.Recap) {
		for _, b := range scene.Bullets(r.Text) {
			if slices.Contains(scene.SourcesOf(r, b.Text), node) {
				for _, s := range scene.Statements(b.Text) {
					end(s)
				}
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
	taught, err := svc.lore.TaughtBy(tx, c, node)
	if err != nil {
		return err
	}
	for _, s := range taught {
		end(s)
	}
	if !changed {
		return nil
	}
	return scenes.PutLineEnds(tx, c.ID, list)
}
