package chats

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// member returns a member of the cast, nil for the main character and others.
func member(c storage.Chat, who storage.CharacterID) *storage.CastMember {
	for i := range c.Play.Cast {
		if c.Play.Cast[i].Character == who {
			return &c.Play.Cast[i]
		}
	}
	return nil
}

// attendedAt reports whether the user has marked a member as present at a depth before it came in.
func attendedAt(m *storage.CastMember, depth int) bool {
	return m != nil && m.Been != nil && depth >= m.Been.From && depth < m.Been.To
}

// KnowersAt returns who knows a mentioned fact, nil for everybody: the witnesses of the mention,
// and the characters that were marked as present then.
func KnowersAt(tx *storage.Tx, c storage.Chat, at storage.Mention) []storage.CharacterID {
	who := WitnessesAt(c, at)
	if who == nil || at.Node == "" || !anyAttended(c) {
		return who
	}
	return AttendedAt(tx, c, who, at.Node)
}

// AttendedAt is like Attended, for facts that come from the exchange that ends with reply.
func AttendedAt(tx *storage.Tx, c storage.Chat, who []storage.CharacterID, reply storage.NodeID) []storage.CharacterID {
	if who == nil || !anyAttended(c) {
		return who
	}
	return Attended(tx, c, who, shownAt(tx, c, reply))
}

// HasAttended reports whether a character was marked as present before it came into the chat.
func HasAttended(c storage.Chat, who storage.CharacterID) bool {
	m := member(c, who)
	return m != nil && m.Been != nil
}

func anyAttended(c storage.Chat) bool {
	return slices.ContainsFunc(c.Play.Cast, func(m storage.CastMember) bool { return m.Been != nil })
}

// shownAt returns the messages of the exchange that ends with reply.
func shownAt(tx *storage.Tx, c storage.Chat, reply storage.NodeID) (out []storage.NodeID) {
	for p := range tx.PathInfos(c.ID, reply) {
		if p.InStory() {
			if out = append(out, p.ID); len(out) == PassLook {
				break
			}
		}
	}
	return out
}

// Attended adds to who, the knowers of a fact that comes from messages, the characters that were
// marked as present before they came in. If another character heard all messages but is not in who,
// the fact has another source too, and nobody is added.
func Attended(tx *storage.Tx, c storage.Chat, who []storage.CharacterID,
	messages []storage.NodeID) []storage.CharacterID {
	if who == nil || len(messages) == 0 || !anyAttended(c) {
		return who
	}
	var nodes []storage.Node
	for _, id := range messages {
		n, err := tx.Node(c.ID, id)
		if err != nil {
			return who
		}
		nodes = append(nodes, n)
	}
	out := slices.Clone(who)
	for _, id := range KnownTo(c, nodes) {
		if slices.Contains(who, id) {
			continue
		}
		if m := member(c, id); m == nil || m.Been == nil {
			return who
		}
		out = append(out, id)
	}
	return out
}

// SetSince marks a character as present since a message of the path, by the number that "chat show"
// prints, before it came in. The character then counts as a witness of all later messages that were
// not whispered. 0 removes the mark.
func (svc *Service) SetSince(chat storage.ChatID, who storage.CharacterID, number int) error {
	return svc.ChangePlay("set since when", chat, func(tx *storage.Tx, c *storage.Chat) error {
		return setSince(tx, c, who, number)
	})
}

func setSince(tx *storage.Tx, c *storage.Chat, who storage.CharacterID, number int) error {
	if who == c.Character {
		return failure.Refusef("this is the main character, present from the start")
	}
	at, err := memberOf(*c, who)
	if err != nil {
		return err
	}
	c.Play.Cast = slices.Clone(c.Play.Cast)
	m := &c.Play.Cast[at]
	if number == 0 {
		m.Been = nil
		return nil
	}
	said := 0
	if p, err := tx.NodeInfo(c.ID, c.Head); err == nil {
		said = p.Depth + 1
	}
	if number < 0 || number > said {
		return failure.Refusef("there is no message %d: they go from 1 to %d", number, said)
	}
	came := max(m.Since, m.Back)
	if m.Been = nil; number-1 < came {
		m.Been = &storage.Attendance{From: number - 1, To: came}
	}
	return nil
}

// sinceOf returns the number of the message since which a member is present.
func sinceOf(m storage.CastMember) int {
	if m.Been != nil {
		return m.Been.From + 1
	}
	return max(m.Since, m.Back) + 1
}
