package knowledge

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Correct finds what was made of a message that the user has edited, and ends what says
// what the message says no longer: memories, hooks, lines of recaps, and what scenes have
// taught the lorebook. What the message
// says again holds again; of what it may say no longer the user is asked, see Doubts. It
// acts in the transaction of the edit.
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
	end := storage.End{Told: storage.Told{Chat: r.Chat, Node: n.ID, Depth: n.Depth, Sources: []storage.NodeID{n.ID}, Witnesses: chats.KnownTo(c, []storage.Node{n}), At: svc.core.Config.Now()},
		Kind: storage.Corrected, Why: "the message was edited"}
	if len(came) == 1 {
		end.Instead = failure.FirstRunes(came[0], 200)
	}
	was, is := facts.WordsOf(r.Was), facts.WordsOf(n.Content)
	mend := memory.Correction{End: end,
		Unsure: func(text string) bool { return touches(text, gone, is) },
		Sure:   func(text string) bool { return touches(text, came, was) },
		Gone:   func(text string) bool { return says(text, gone) && nearest(text, gone) > nearest(text, came) },
		Again:  func(text string) bool { return says(text, came) && nearest(text, came) >= nearest(text, gone) }}
	if err := memory.Correct(tx, chats.ScopeOf(c), mend); err != nil {
		return err
	}
	return svc.correctLines(tx, c, n.ID, mend)
}

// touches tells whether a text is about what one of some sentences says, which were taken
// out of a message: it has a word that went with them, and shares a name or two words more.
func touches(text string, out []string, left facts.Words) bool {
	w := facts.WordsOf(text)
	return slices.ContainsFunc(out, func(sentence string) bool {
		gone, stays := facts.Shared(w, facts.WordsOf(sentence), left)
		return gone > 0 && stays > 1
	})
}

// missing are the sentences of one text that another lacks.
func missing(of, in []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(s string) bool { return slices.Contains(in, s) })
}

// says tells whether a text says what one of the sentences does.
func says(text string, list []string) bool {
	w := facts.WordsOf(text)
	return slices.ContainsFunc(list, func(s string) bool { return facts.Alike(w, facts.WordsOf(s)) })
}

// nearest is how near a text is to the nearest of some sentences, from 0 to 1.
func nearest(text string, list []string) (most float64) {
	w := facts.WordsOf(text)
	for _, s := range list {
		most = max(most, facts.Likeness(w, facts.WordsOf(s)))
	}
	return most
}

// correctLines ends the lines of the recaps on the chat's path and the facts of its
// lorebook that came from a message, or opens them again.
func (svc *Service) correctLines(tx *storage.Tx, c storage.Chat, node storage.NodeID, mend memory.Correction) error {
	list := scenes.LineEnds(tx, c.ID)
	changed := false
	for i := range list {
		if x := &list[i]; mend.Again(x.Text) || x.Doubt && mend.Sure(x.Text) {
			if ends, undone := memory.Reopened([]storage.End{x.End}, mend.End); undone {
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
