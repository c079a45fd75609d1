package chats

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// IsGroup reports whether more than one character plays in a chat, or has.
func IsGroup(c storage.Chat) bool { return len(c.Play.Cast) > 0 }

// Viewpoint is the chat and the speaker of a prompt.
type Viewpoint struct {
	Chat storage.Chat
	// Speaker is the character that will speak; "" if only one character plays.
	Speaker storage.CharacterID
	Scope   storage.ScopeID
	// FollowsReply reports that the request continues an answered turn, and shares its lore and
	// notes.
	FollowsReply bool
}

// ViewpointOf returns the moment of a request. speaker is the character that answers, "" for the main
// one.
func ViewpointOf(c storage.Chat, speaker storage.CharacterID, followsReply bool) Viewpoint {
	m := Viewpoint{Chat: c, Scope: ScopeOf(c), FollowsReply: followsReply}
	if IsGroup(c) {
		if m.Speaker = speaker; m.Speaker == "" {
			m.Speaker = c.Character
		}
	}
	return m
}

// Key identifies the data compiled for a moment's speaker.
func (m Viewpoint) Key() string {
	if m.Speaker == m.Chat.Character {
		return string(m.Chat.ID)
	}
	return string(m.Chat.ID) + string(m.Speaker)
}

// Present returns the present characters of a chat, the main one first.
func Present(c storage.Chat) []storage.CharacterID {
	var out []storage.CharacterID
	if !c.Play.MainAway {
		out = append(out, c.Character)
	}
	for _, m := range c.Play.Cast {
		if !m.Away && !m.Left {
			out = append(out, m.Character)
		}
	}
	return out
}

// Members returns the characters of a chat, including those that are away, the main one first.
func Members(c storage.Chat) []storage.CharacterID {
	return append([]storage.CharacterID{c.Character}, CastOf(c)...)
}

// Presence returns the witnesses of a new message: only those in to if it is whispered. It is nil
// if only one character plays.
func Presence(c storage.Chat, to []storage.CharacterID) *storage.Presence {
	switch {
	case !IsGroup(c):
		return nil
	case len(to) > 0:
		return &storage.Presence{Witnesses: slices.Clone(to), Whisper: true}
	}
	return &storage.Presence{Witnesses: append([]storage.CharacterID{}, Present(c)...)}
}

// witnessed reports whether a character has witnessed a message.
func (m Viewpoint) witnessed(n *storage.Node) bool {
	if m.Speaker == "" {
		return true
	}
	return Knows(m.Chat, m.Speaker, n)
}

// Knows reports whether a character of a chat has witnessed a message.
func Knows(c storage.Chat, who storage.CharacterID, n *storage.Node) bool {
	if SpeakerOf(c, n) == who {
		return true
	}
	m := member(c, who)
	if attendedAt(m, n.Depth) && (n.Presence == nil || !n.Presence.Whisper) {
		return true
	}
	if n.Presence != nil {
		return slices.Contains(n.Presence.Witnesses, who)
	}
	return m == nil || n.Depth >= m.Since
}

// SpeakerOf returns the character that spoke a message, "" for the user and the narrator.
func SpeakerOf(c storage.Chat, n *storage.Node) storage.CharacterID {
	switch {
	case n.Role != storage.Assistant:
		return ""
	case n.Speaker != "":
		return n.Speaker
	}
	return c.Character
}

// MayKnow reports whether the speaker may know what witnesses know; nil means everybody.
func (m Viewpoint) MayKnow(witnesses []storage.CharacterID) bool {
	return m.Speaker == "" || witnesses == nil || slices.Contains(witnesses, m.Speaker)
}

// FilterHistory limits a history to what the speaker knows: messages that it has not witnessed
// become empty, and messages of others become user messages with their names.
func (m Viewpoint) FilterHistory(nodes []storage.Node) {
	if m.Speaker == "" {
		return
	}
	for i := range nodes {
		n := &nodes[i]
		switch {
		case !n.Role.InPrompt() || n.Content == "":
		case !m.witnessed(n):
			n.Content = ""
		case n.Role == storage.Narrator: // the prompt marks it
		case SpeakerOf(m.Chat, n) != m.Speaker:
			n.Role = storage.User
			if n.Name != "" {
				n.Content = n.Name + ": " + n.Content
			}
		}
	}
}

// Whispers returns, for each whispered message, the line that marks it in a prompt with the names
// of its hearers. user is the user's name.
func Whispers(tx *storage.Tx, c storage.Chat, user string, lists ...[]storage.Node) map[storage.NodeID]string {
	out := map[storage.NodeID]string{}
	for n := range slices.Values(slices.Concat(lists...)) {
		if n.Presence == nil || !n.Presence.Whisper || !n.Role.InPrompt() {
			continue
		}
		var heard []string
		speaker := SpeakerOf(c, &n)
		for _, id := range n.Presence.Witnesses {
			if ch, err := storage.Characters.Get(tx, id); err == nil && id != speaker {
				heard = append(heard, prompts.Bounded(prompts.OneLine(ch.Card.CharName()), maxHearerLen))
			}
		}
		if n.Role != storage.User {
			heard = append(heard, prompts.Bounded(prompts.OneLine(user), maxHearerLen))
		}
		if len(heard) > 0 {
			out[n.ID] = WhisperMark + strings.Join(heard, " and ") + " only; nobody else heard it]"
		}
	}
	return out
}

// WhisperMark begins the line above a whispered message.
const WhisperMark = "[whispered to "

// maxHearerLen limits a name in that line, in runes.
const maxHearerLen = 80

// KnownTo returns the characters that have witnessed all of the messages; nil, for everybody, if
// only one character plays.
func KnownTo(c storage.Chat, nodes []storage.Node) []storage.CharacterID {
	if !IsGroup(c) {
		return nil
	}
	out := []storage.CharacterID{}
	for _, who := range append([]storage.CharacterID{c.Character}, CastOf(c)...) {
		if !slices.ContainsFunc(nodes, func(n storage.Node) bool { return !Knows(c, who, &n) }) {
			out = append(out, who)
		}
	}
	return out
}

// KnownToAll reports whether witnesses include all characters of a chat; nil means everybody.
func KnownToAll(c storage.Chat, witnesses []storage.CharacterID) bool {
	missing := func(id storage.CharacterID) bool { return !slices.Contains(witnesses, id) }
	return witnesses == nil || !slices.ContainsFunc(append([]storage.CharacterID{c.Character}, CastOf(c)...), missing)
}

// CastOf returns the characters besides the main one that have not left.
func CastOf(c storage.Chat) []storage.CharacterID {
	var out []storage.CharacterID
	for _, m := range c.Play.Cast {
		if !m.Left {
			out = append(out, m.Character)
		}
	}
	return out
}

// Witnessed reports whether the speaker has witnessed all messages that the director sees of the
// exchange that ends with reply.
func (m Viewpoint) Witnessed(tx *storage.Tx, reply storage.NodeID) bool {
	if m.Speaker == "" {
		return true
	}
	shown := 0
	for p := range tx.PathInfos(m.Chat.ID, reply) {
		if !p.InStory() {
			continue
		}
		if shown++; shown > PassLook {
			break
		}
		n, err := tx.Node(m.Chat.ID, p.ID)
		if err != nil || !m.witnessed(&n) {
			return false
		}
	}
	return true
}

// OpenTo reports whether all characters of a chat have witnessed the messages of an exchange that
// the director sees.
func OpenTo(tx *storage.Tx, c storage.Chat, reply storage.NodeID) bool {
	if !IsGroup(c) {
		return true
	}
	for _, who := range append([]storage.CharacterID{c.Character}, CastOf(c)...) {
		if !(Viewpoint{Chat: c, Speaker: who}).Witnessed(tx, reply) {
			return false
		}
	}
	return true
}

// WitnessesAt returns the witnesses of a mention, nil for everybody. A mention from the time when
// the chat had one character names no witnesses; later members do not know it.
func WitnessesAt(c storage.Chat, at storage.Mention) []storage.CharacterID {
	late := func(m storage.CastMember) bool { return at.Depth < m.Since && !attendedAt(&m, at.Depth) }
	if at.Witnesses != nil || at.Node == "" || !slices.ContainsFunc(c.Play.Cast, late) {
		return at.Witnesses
	}
	out := []storage.CharacterID{c.Character}
	for _, m := range c.Play.Cast {
		if !late(m) {
			out = append(out, m.Character)
		}
	}
	return out
}

// MayKnowRecap is like MayKnow, for a recap. A recap without witnesses is from the time when the chat had
// one character; later members do not know it.
func (m Viewpoint) MayKnowRecap(witnesses []storage.CharacterID) bool {
	if witnesses == nil && slices.ContainsFunc(m.Chat.Play.Cast, func(x storage.CastMember) bool {
		return x.Character == m.Speaker && x.Since > 0 && (x.Been == nil || x.Been.From > 0)
	}) {
		return false
	}
	return m.MayKnow(witnesses)
}

// PassLook is the number of messages of an exchange that the director sees.
const PassLook = 6
