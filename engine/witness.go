package engine

import (
	"slices"

	"ghostlight/storage"
)

// several tells whether more than one character plays in a chat, or has.
func several(c storage.Chat) bool { return len(c.Play.Cast) > 0 }

// moment is whose prompt is made, and of which chat.
type moment struct {
	chat storage.Chat
	// speaker is who is to speak; "" where only one character plays.
	speaker storage.CharacterID
	scope   storage.ScopeID
	// rides tells that the request goes on from an answered turn, whose lore and
	// notes it shares.
	rides bool
}

// momentOf is the moment of a request. speaker is who is to answer, "" for the main
// character.
func momentOf(c storage.Chat, speaker storage.CharacterID, rides bool) moment {
	m := moment{chat: c, scope: scopeOf(c), rides: rides}
	if several(c) {
		if m.speaker = speaker; m.speaker == "" {
			m.speaker = c.Character
		}
	}
	return m
}

// key names what is compiled for a moment's speaker.
func (m moment) key() string {
	if m.speaker == m.chat.Character {
		return string(m.chat.ID)
	}
	return string(m.chat.ID) + string(m.speaker)
}

// present are the characters of a chat that are there now, the main one first.
func present(c storage.Chat) []storage.CharacterID {
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

// presence is who witnesses what is said now: to alone where it is whispered.
// It is nil where only one character plays.
func presence(c storage.Chat, to []storage.CharacterID) *storage.Presence {
	switch {
	case !several(c):
		return nil
	case len(to) > 0:
		return &storage.Presence{Witnesses: slices.Clone(to), Whisper: true}
	}
	return &storage.Presence{Witnesses: append([]storage.CharacterID{}, present(c)...)}
}

// witnessed tells whether a character has witnessed a message.
func (m moment) witnessed(n *storage.Node) bool {
	if m.speaker == "" {
		return true
	}
	return knows(m.chat, m.speaker, n)
}

func knows(c storage.Chat, who storage.CharacterID, n *storage.Node) bool {
	if speakerOf(c, n) == who {
		return true
	}
	if n.Presence != nil {
		return slices.Contains(n.Presence.Witnesses, who)
	}
	for _, m := range c.Play.Cast {
		if m.Character == who {
			return n.Depth >= m.Since
		}
	}
	return true
}

// speakerOf is who said a message, "" for the user.
func speakerOf(c storage.Chat, n *storage.Node) storage.CharacterID {
	switch {
	case n.Role != storage.Assistant:
		return ""
	case n.Speaker != "":
		return n.Speaker
	}
	return c.Character
}

// may tells whether the speaker may know what these have witnessed; nil is
// everybody.
func (m moment) may(witnesses []storage.CharacterID) bool {
	return m.speaker == "" || witnesses == nil || slices.Contains(witnesses, m.speaker)
}

// heard turns a history into what the speaker knows of it: what it has not
// witnessed is empty, and what others said is told to it under their names.
func (m moment) heard(nodes []storage.Node) {
	if m.speaker == "" {
		return
	}
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.Role != storage.User && n.Role != storage.Assistant || n.Content == "":
		case !m.witnessed(n):
			n.Content = ""
		case speakerOf(m.chat, n) != m.speaker:
			n.Role = storage.User
			if n.Name != "" {
				n.Content = n.Name + ": " + n.Content
			}
		}
	}
}

// knownTo are those who have witnessed all of the messages; nil is everybody,
// where only one character plays.
func knownTo(c storage.Chat, nodes []storage.Node) []storage.CharacterID {
	if !several(c) {
		return nil
	}
	out := []storage.CharacterID{}
	for _, who := range append([]storage.CharacterID{c.Character}, castOf(c)...) {
		if !slices.ContainsFunc(nodes, func(n storage.Node) bool { return !knows(c, who, &n) }) {
			out = append(out, who)
		}
	}
	return out
}

func castOf(c storage.Chat) []storage.CharacterID {
	var out []storage.CharacterID
	for _, m := range c.Play.Cast {
		if !m.Left {
			out = append(out, m.Character)
		}
	}
	return out
}

// saw tells whether a character has witnessed all that the director was shown of an
// exchange that ends with a reply.
func (m moment) saw(tx *storage.Tx, reply storage.NodeID) bool {
	if m.speaker == "" {
		return true
	}
	shown := 0
	for p := range tx.Spine(m.chat.ID, reply) {
		if !p.Said() {
			continue
		}
		if shown++; shown > passLook {
			break
		}
		n, err := tx.Node(m.chat.ID, p.ID)
		if err != nil || !m.witnessed(&n) {
			return false
		}
	}
	return true
}

// openTo tells whether all who play in a chat have witnessed what the director was
// shown of an exchange.
func openTo(tx *storage.Tx, c storage.Chat, reply storage.NodeID) bool {
	if !several(c) {
		return true
	}
	for _, who := range append([]storage.CharacterID{c.Character}, castOf(c)...) {
		if !(moment{chat: c, speaker: who}).saw(tx, reply) {
			return false
		}
	}
	return true
}

// witnessesAt are those who know what was told, nil everybody: those whom the
// telling names. One of the time when a chat had one character names nobody, and
// says nothing to those who came later.
func witnessesAt(c storage.Chat, at storage.Told) []storage.CharacterID {
	late := func(m storage.CastMember) bool { return at.Depth < m.Since }
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

// both are those in both lists; nil is everybody.
func both(a, b []storage.CharacterID) []storage.CharacterID {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := []storage.CharacterID{}
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// witnessRecap notes who knows all that a scene's recap tells: those who have
// witnessed the whole scene. Where one character plays it is that one, for others
// may come.
func witnessRecap(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, r *storage.Recap) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	if !several(c) {
		r.Witnesses = []storage.CharacterID{c.Character}
		return nil
	}
	s, err := stretchAt(tx, chat, brk)
	if err != nil {
		return err
	}
	var nodes []storage.Node
	for p := range tx.Spine(chat, brk) {
		if p.ID == s.after {
			break
		}
		if !p.Said() {
			continue
		}
		n, err := tx.Node(chat, p.ID)
		if err != nil {
			return err
		}
		nodes = append(nodes, n)
	}
	r.Witnesses = knownTo(c, nodes)
	return nil
}

// mayRecap is may for a recap. One that names nobody is of a time when nobody
// else played: who came later does not know it.
func (m moment) mayRecap(witnesses []storage.CharacterID) bool {
	if witnesses == nil && slices.ContainsFunc(m.chat.Play.Cast, func(x storage.CastMember) bool { return x.Character == m.speaker && x.Since > 0 }) {
		return false
	}
	return m.may(witnesses)
}
