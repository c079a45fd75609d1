package director

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Speakers decides who speaks next.
type Speakers struct{ chats *chats.Service }

// NewSpeakers makes them.
func NewSpeakers(chats *chats.Service) Speakers { return Speakers{chats} }

// NextSpeaker returns the next speaker of a chat at leaf, and the reason. It is "" if only one
// character plays.
func (s Speakers) NextSpeaker(tx *storage.Tx, c storage.Chat, leaf storage.NodeID) (storage.CharacterID, string) {
	return s.NextAfterLine(tx, c, leaf, "")
}

// NextAfterLine returns the result of NextSpeaker if the user adds a line after leaf; "" is no
// line.
func (s Speakers) NextAfterLine(tx *storage.Tx, c storage.Chat, leaf storage.NodeID,
	line string) (storage.CharacterID, string) {
	if !chats.IsGroup(c) {
		return "", ""
	}
	here := chats.Present(c)
	if len(here) == 0 {
		return c.Character, "no other characters"
	}
	last, said, to := lastSaid(tx, c, leaf)
	if line != "" {
		said, to = line, nil
	}
	if to != nil {
		here = slices.DeleteFunc(slices.Clone(to), func(id storage.CharacterID) bool {
			return !slices.Contains(here, id)
		})
		if len(here) == 0 {
			here = chats.Present(c)
		}
	}
	switch c.Play.Order {
	case storage.OrderDirector:
		if who := s.directedSpeaker(tx, c, leaf, here); who != "" {
			return who, "was chosen by the director"
		}
		fallthrough
	case storage.OrderMention:
		for _, i := range rules.Mentioned(said, s.chats.NamesOf(tx, here)) {
			return here[i], "was named"
		}
	case storage.OrderNatural:
		if who, why := s.naturalOrder(tx, c, leaf, here, last, said); who != "" {
			return who, why
		}
	case storage.OrderPooled:
		return fromPool(tx, c, leaf, here, last), "was chosen at random"
	}
	return rules.NextRoundRobin(here, last), "is next in turn"
}

// naturalOrder returns the next speaker in the natural order of group chats: the character that was
// named; otherwise one that chance chooses, by talkativeness; otherwise anybody. Nobody answers
// themselves. The chance is drawn for the message that is answered, so that the next speaker does
// not change.
func (s Speakers) naturalOrder(tx *storage.Tx, c storage.Chat, leaf storage.NodeID, here []storage.CharacterID,
	last storage.CharacterID, said string) (storage.CharacterID, string) {
	for _, i := range rules.Mentioned(said, s.chats.NamesOf(tx, here)) {
		return here[i], "was named"
	}
	pool := here
	if said == "" && len(here) > 1 { // the last one answers nobody but itself
		pool = slices.DeleteFunc(slices.Clone(here), func(id storage.CharacterID) bool { return id == last })
	}
	pool = slices.Clone(pool)
	slices.SortFunc(pool, func(a, b storage.CharacterID) int {
		return cmp.Compare(randomFor(leaf, a), randomFor(leaf, b))
	})
	var chatty []storage.CharacterID
	for _, id := range pool {
		ch, err := storage.Characters.Get(tx, id)
		if err != nil {
			continue
		}
		talks := formats.Talkativeness(ch.Source)
		if talks > 0 && talks >= randomFor(leaf, id+"?") {
			return id, "was chosen at random"
		}
		if talks > 0 {
			chatty = append(chatty, id)
		}
	}
	for _, id := range append(chatty, pool...) {
		return id, "was chosen at random"
	}
	return "", ""
}

// fromPool returns a character who has not spoken since the user's last message. If all have
// spoken, it returns any but the last speaker.
func fromPool(tx *storage.Tx, c storage.Chat, leaf storage.NodeID, here []storage.CharacterID,
	last storage.CharacterID) storage.CharacterID {
	spoken := map[storage.CharacterID]bool{}
	for p := range tx.PathInfos(c.ID, leaf) {
		if p.InStory() && p.Role == storage.User || len(spoken) == len(here) {
			break
		}
		if n, err := tx.Node(c.ID, p.ID); err == nil && p.InStory() && p.Role == storage.Assistant {
			spoken[chats.SpeakerOf(c, &n)] = true
		}
	}
	pool := slices.DeleteFunc(slices.Clone(here), func(id storage.CharacterID) bool { return spoken[id] })
	if len(pool) == 0 && len(here) > 1 {
		pool = slices.DeleteFunc(slices.Clone(here), func(id storage.CharacterID) bool { return id == last })
	}
	if len(pool) == 0 {
		pool = here
	}
	return slices.MinFunc(pool, func(a, b storage.CharacterID) int {
		return cmp.Compare(randomFor(leaf, a), randomFor(leaf, b))
	})
}

// randomFor returns a number from 0 up to 1, drawn for somebody at a message.
func randomFor(at storage.NodeID, who storage.CharacterID) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(string(at) + "\x00" + string(who))) // it never fails
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

// lastSaid looks back from leaf. It returns the character who spoke last, the user's text since
// then, and to whom that was whispered.
func lastSaid(tx *storage.Tx, c storage.Chat,
	leaf storage.NodeID) (last storage.CharacterID, said string, to []storage.CharacterID) {
	newest := true
	for p := range tx.PathInfos(c.ID, leaf) {
		if !p.InStory() {
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

// directedSpeaker returns whom the director wants to speak next, as of the exchange before leaf.
func (s Speakers) directedSpeaker(tx *storage.Tx, c storage.Chat, leaf storage.NodeID,
	here []storage.CharacterID) storage.CharacterID {
	for b := range recordsBefore(tx, c.ID, leaf, maxRecordAge) {
		if b.Seen == nil || b.Seen.Next == "" {
			return ""
		}
		for i, name := range s.chats.NamesOf(tx, here) {
			if strings.EqualFold(name, b.Seen.Next) {
				return here[i]
			}
		}
		return ""
	}
	return ""
}
