package director

import (
	"slices"
	"strings"

	"ghostlight/engine/director/rules"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
)

// NextSpeaker is who speaks next in a chat at leaf, and why. It is "" where only
// one character plays.
func (svc *Service) NextSpeaker(tx *storage.Tx, c storage.Chat, leaf storage.NodeID) (storage.CharacterID, string) {
	if !chats.Several(c) {
		return "", ""
	}
	here := chats.Present(c)
	if len(here) == 0 {
		return c.Character, "nobody else is there"
	}
	last, said, to := lastSaid(tx, c, leaf)
	if to != nil {
		here = slices.DeleteFunc(slices.Clone(to), func(id storage.CharacterID) bool { return !slices.Contains(here, id) })
		if len(here) == 0 {
			here = chats.Present(c)
		}
	}
	switch c.Play.Order {
	case storage.OrderDirector:
		if who := svc.called(tx, c, leaf, here); who != "" {
			return who, "the director has called"
		}
		fallthrough
	case storage.OrderMention:
		for _, i := range rules.Mentioned(said, svc.chats.NamesOf(tx, here)) {
			return here[i], "was named"
		}
	}
	return rules.NextRobin(here, last), "is next in turn"
}

// lastSaid looks back from leaf: who of the characters spoke last, what the user
// said since, and to whom that was whispered.
func lastSaid(tx *storage.Tx, c storage.Chat, leaf storage.NodeID) (last storage.CharacterID, said string, to []storage.CharacterID) {
	newest := true
	for p := range tx.Spine(c.ID, leaf) {
		if !p.Said() {
			continue
		}
		n, err := tx.Node(c.ID, p.ID)
		if err != nil {
			break
		}
		if n.Role == storage.Assistant {
			return chats.SpeakerOf(c, &n), said, to
		}
		if newest {
			said = n.Content
			if n.Presence != nil && n.Presence.Whisper {
				to = n.Presence.Witnesses
			}
		}
		newest = false
	}
	return "", said, to
}

// called is whom the director wants to speak next, as of the exchange before
// leaf.
func (svc *Service) called(tx *storage.Tx, c storage.Chat, leaf storage.NodeID, here []storage.CharacterID) storage.CharacterID {
	b, ok := lastBeat(tx, c.ID, leaf)
	if !ok || b.Seen == nil || b.Seen.Next == "" {
		return ""
	}
	for i, name := range svc.chats.NamesOf(tx, here) {
		if strings.EqualFold(name, b.Seen.Next) {
			return here[i]
		}
	}
	return ""
}
