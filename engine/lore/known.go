package lore

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// KnownTo returns who knows a fact of an entry in a chat, nil for everybody: the knowers in the
// entry, and the characters who are recorded as present at its source messages.
func KnownTo(tx *storage.Tx, c storage.Chat, x *storage.LoreEntry, fact string) []storage.CharacterID {
	var from []storage.NodeID
	for i := range x.Facts {
		if f := &x.Facts[i]; f.Text == fact && f.Chat == c.ID {
			from = append(from, f.Messages...)
		}
	}
	return chats.Attended(tx, c, fill.KnownTo(x, fact), from)
}

// sceneWitnesses returns the characters who have witnessed any message of a scene, nil for
// everybody.
func sceneWitnesses(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]storage.CharacterID, error) {
	if !chats.IsGroup(c) {
		return nil, nil
	}
	all := append([]storage.CharacterID{c.Character}, chats.CastOf(c)...)
	out := []storage.CharacterID{}
	for p := range tx.PathInfos(c.ID, last) {
		if p.ID == after || len(out) == len(all) {
			break
		}
		if !p.InStory() {
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

// readWitnesses reads who has heard which message of the scene.
func (l *fillJob) readWitnesses(tx *storage.Tx) error {
	if !chats.IsGroup(l.chat) {
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

// citedMessages returns the messages of the scene that the model cited for the candidate.
func (l *fillJob) citedMessages() (out []storage.NodeID) {
	for _, m := range l.msgs {
		if m.ID != "" && slices.Contains(l.Candidate.Messages, m.ID) {
			out = append(out, m.ID)
		}
	}
	return out
}

// factWithSources returns a fact of the scene with its sources and the characters who know it:
// those who have witnessed all the sources. Without a citation the source is the whole scene.
func (l *fillJob) factWithSources(text string) storage.LoreFact {
	f := storage.LoreFact{Text: text, Chat: l.Chat, Messages: l.citedMessages()}
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

// recordSources sets the sources and knowers of a new entry's facts.
func (l *fillJob) recordSources(x *storage.LoreEntry) {
	known := map[string][]storage.CharacterID{}
	x.Facts = nil
	for _, text := range plist.Facts(x.Content) {
		f := l.factWithSources(text)
		known[text] = f.Witnesses
		if f.Witnesses = nil; len(f.Messages) > 0 {
			x.Facts = append(x.Facts, f)
		}
	}
	x.Witnesses = l.witnesses
	fill.SetKnowers(x, func(fact string) []storage.CharacterID { return known[fact] })
}

// audience is a group of facts with the same knowers in the current cast.
type audience struct {
	known []storage.CharacterID // of the first
	facts []string
}

// sameAudience reports whether two lists have the same members of the current cast, or both contain
// all of it.
func sameAudience(c storage.Chat, a, b []storage.CharacterID) bool {
	return fill.SameWitnesses(a, b) || chats.KnownToAll(c, a) && chats.KnownToAll(c, b)
}

// splitByAudience groups facts by their knowers, in order.
func splitByAudience(c storage.Chat, facts []string, knows func(string) []storage.CharacterID) (out []audience) {
	for _, f := range facts {
		who := knows(f)
		at := slices.IndexFunc(out, func(b audience) bool { return sameAudience(c, b.known, who) })
		if at < 0 {
			out, at = append(out, audience{known: who}), len(out)
		}
		out[at].facts = append(out[at].facts, f)
	}
	return out
}

// newFactWithSources is factWithSources for a new fact of an existing entry. A fact without a
// citation may be based on the shown part of the entry, so nobody else knows it.
func (l *fillJob) newFactWithSources(x *storage.LoreEntry, text string) storage.LoreFact {
	f := l.factWithSources(text)
	if l.knows != nil && len(l.citedMessages()) == 0 {
		f.Witnesses = storage.WitnessesOfBoth(f.Witnesses, x.Witnesses)
	}
	return f
}

// addsKnowers reports whether a candidate makes a fact that the entry already has known to more
// characters.
func (l *fillJob) addsKnowers(x *storage.LoreEntry) bool {
	return l.knows != nil && slices.ContainsFunc(plist.Facts(x.Content), func(f string) bool {
		return slices.ContainsFunc(plist.Facts(l.Candidate.Content), func(n string) bool {
			return plist.SameFact(f, n) && !fill.IncludesAll(fill.KnownTo(x, f), l.newFactWithSources(x, n).Witnesses)
		})
	})
}
