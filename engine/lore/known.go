package lore

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// KnownTo are those who know a fact of an entry in a chat, nil everybody: those whom the
// entry names, and who is said to have been there for the messages that it rests on.
func KnownTo(tx *storage.Tx, c storage.Chat, x *storage.LoreEntry, fact string) []storage.CharacterID {
	var from []storage.NodeID
	for i := range x.Facts {
		if f := &x.Facts[i]; f.Text == fact && f.Chat == c.ID {
			from = append(from, f.Messages...)
		}
	}
	return chats.Attended(tx, c, fill.KnownTo(x, fact), from)
}

// audience are those who have witnessed anything of a scene, nil everybody.
func audience(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]storage.CharacterID, error) {
	if !chats.Several(c) {
		return nil, nil
	}
	all := append([]storage.CharacterID{c.Character}, chats.CastOf(c)...)
	out := []storage.CharacterID{}
	for p := range tx.Spine(c.ID, last) {
		if p.ID == after || len(out) == len(all) {
			break
		}
		if !p.Said() {
			continue
		}
		n, err := tx.Node(c.ID, p.ID)
		if err != nil {
			return nil, err
		}
		for _, who := range all {
			if !slices.Contains(out, who) && chats.Knows(c, who, &n) {
				out = append(out, who)
			}
		}
	}
	return out, nil
}

// readKnown finds who has heard which message of a lesson's scene.
func (l *lesson) readKnown(tx *storage.Tx) error {
	if !chats.Several(l.chat) {
		return nil
	}
	l.knows = map[storage.NodeID][]storage.CharacterID{}
	var nodes []storage.Node
	for _, m := range l.msgs {
		n, err := tx.Node(l.Chat, m.ID)
		if err != nil {
			return err
		}
		nodes = append(nodes, n)
		l.knows[m.ID] = chats.KnownTo(l.chat, []storage.Node{n})
	}
	l.witnesses = storage.WitnessesOfBoth(l.witnesses, chats.KnownTo(l.chat, nodes))
	return nil
}

// cited are the messages of the scene that the model has named for the candidate.
func (l *lesson) cited() (out []storage.NodeID) {
	for _, m := range l.msgs {
		if m.ID != "" && slices.Contains(l.Candidate.Messages, m.ID) {
			out = append(out, m.ID)
		}
	}
	return out
}

// sourced returns a fact of the scene with where it came from, and who knows it: those who have
// heard all of that. Without a citation it is all of the scene.
func (l *lesson) sourced(text string) storage.LoreFact {
	f := storage.LoreFact{Text: text, Chat: l.Chat, Messages: l.cited()}
	if len(f.Messages) == 0 {
		for _, m := range l.msgs {
			if m.ID != "" {
				f.Messages = append(f.Messages, m.ID)
			}
		}
	}
	if l.knows == nil {
		f.Witnesses = l.witnesses
		return f
	}
	for _, id := range f.Messages {
		f.Witnesses = storage.WitnessesOfBoth(f.Witnesses, l.knows[id])
	}
	return f
}

// note gives a new entry the sources of its facts, and those who know them.
func (l *lesson) note(x *storage.LoreEntry) {
	known := map[string][]storage.CharacterID{}
	x.Facts = nil
	for _, text := range plist.Facts(x.Content) {
		f := l.sourced(text)
		known[text] = f.Witnesses
		if f.Witnesses = nil; len(f.Messages) > 0 {
			x.Facts = append(x.Facts, f)
		}
	}
	x.Witnesses = l.witnesses
	fill.Note(x, func(fact string) []storage.CharacterID { return known[fact] })
}

// band are facts that are known to the same of those who play.
type band struct {
	known []storage.CharacterID // of the first
	facts []string
}

// alike reports whether two are the same witnesses as far as those go who play now: both
// are all of these, or they are the same.
func alike(c storage.Chat, a, b []storage.CharacterID) bool {
	return fill.SameWitnesses(a, b) || chats.KnownToAll(c, a) && chats.KnownToAll(c, b)
}

// bands parts facts by those who know them, in their order.
func bands(c storage.Chat, facts []string, knows func(string) []storage.CharacterID) (out []band) {
	for _, f := range facts {
		who := knows(f)
		at := slices.IndexFunc(out, func(b band) bool { return alike(c, b.known, who) })
		if at < 0 {
			out, at = append(out, band{known: who}), len(out)
		}
		out[at].facts = append(out[at].facts, f)
	}
	return out
}

// learnt is sourced, of news for an entry: what the model names no message for may have been
// taken from what it was shown of the entry, and is known to no more than that is.
func (l *lesson) learnt(x *storage.LoreEntry, text string) storage.LoreFact {
	f := l.sourced(text)
	if l.knows != nil && len(l.cited()) == 0 {
		f.Witnesses = storage.WitnessesOfBoth(f.Witnesses, x.Witnesses)
	}
	return f
}

// widens reports whether a lesson brings what an entry says already to somebody who does
// not know it yet.
func (l *lesson) widens(x *storage.LoreEntry) bool {
	return l.knows != nil && slices.ContainsFunc(plist.Facts(x.Content), func(f string) bool {
		return slices.ContainsFunc(plist.Facts(l.Candidate.Content), func(n string) bool {
			return plist.SameFact(f, n) && !fill.Holds(fill.KnownTo(x, f), l.learnt(x, n).Witnesses)
		})
	})
}
