package engine

import (
	"slices"
	"strings"

	"ghostlight/engine/director/rules"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// NextSpeaker is who speaks next in a chat at leaf, and why. It is "" where only
// one character plays.
func (e *Engine) NextSpeaker(tx *storage.Tx, c storage.Chat, leaf storage.NodeID) (storage.CharacterID, string) {
	if !several(c) {
		return "", ""
	}
	here := present(c)
	if len(here) == 0 {
		return c.Character, "nobody else is there"
	}
	last, said, to := lastSaid(tx, c, leaf)
	if to != nil {
		here = slices.DeleteFunc(slices.Clone(to), func(id storage.CharacterID) bool { return !slices.Contains(here, id) })
		if len(here) == 0 {
			here = present(c)
		}
	}
	switch c.Play.Order {
	case storage.OrderDirector:
		if who := e.called(tx, c, leaf, here); who != "" {
			return who, "the director has called"
		}
		fallthrough
	case storage.OrderMention:
		for _, i := range rules.Mentioned(said, e.namesOf(tx, here)) {
			return here[i], "was named"
		}
	}
	return rules.NextRobin(here, last), "is next in turn"
}

// namesOf are what characters are called.
func (e *Engine) namesOf(tx *storage.Tx, ids []storage.CharacterID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		if ch, err := storage.Characters.Get(tx, id); err == nil {
			out[i] = ch.Card.CharName()
		}
	}
	return out
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
			return speakerOf(c, &n), said, to
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
func (e *Engine) called(tx *storage.Tx, c storage.Chat, leaf storage.NodeID, here []storage.CharacterID) storage.CharacterID {
	b, ok := lastBeat(tx, c.ID, leaf)
	if !ok || b.Seen == nil || b.Seen.Next == "" {
		return ""
	}
	for i, name := range e.namesOf(tx, here) {
		if strings.EqualFold(name, b.Seen.Next) {
			return here[i]
		}
	}
	return ""
}

// Speak has a character speak next, without a word of the user's.
func (e *Engine) Speak(chat storage.ChatID, who storage.CharacterID) error {
	return e.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		if err := mayAnswer(c, who); err != nil {
			return request{}, fail("speak", err)
		}
		return request{parent: c.Head, speaker: who}, nil
	})
}

// mayAnswer refuses who is not in a chat or is away.
func mayAnswer(c storage.Chat, who storage.CharacterID) error {
	switch {
	case who == "":
		return nil
	case who != c.Character && !slices.Contains(castOf(c), who):
		return refuse("this character does not play in the chat")
	case several(c) && !slices.Contains(present(c), who):
		return refuse("this character is away: bring it back first")
	}
	return nil
}

// SendTo is Send in a chat of several characters: who is to answer, "" as the
// turn order says, and who hears it, nil for everybody present.
func (e *Engine) SendTo(chat storage.ChatID, text string, who storage.CharacterID, to []storage.CharacterID) (storage.NodeID, error) {
	return e.send(chat, text, func(c storage.Chat) (storage.CharacterID, *storage.Presence, error) {
		for _, id := range append([]storage.CharacterID{who}, to...) {
			if err := mayAnswer(c, id); err != nil {
				return "", nil, err
			}
		}
		if who != "" && len(to) > 0 && !slices.Contains(to, who) {
			return "", nil, refuse("who is to answer has to hear it: whisper to that character as well")
		}
		return who, presence(c, to), nil
	})
}

// Nudge asks for the next reply with an instruction for this one turn, which is
// not stored. Where a reply ends the chat, it asks for another in its place.
func (e *Engine) Nudge(chat storage.ChatID, instruction string) error {
	instruction = strings.TrimSpace(instruction)
	if instruction == "" {
		return fail("nudge", refuse("say what the next turn should do"))
	}
	if len(instruction) > mostNudge {
		return fail("nudge", refuse("this is for one turn: it may have %d bytes at the most", mostNudge))
	}
	return e.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		for p := range tx.Spine(chat, c.Head) {
			if !p.Said() {
				continue
			}
			n, err := tx.Node(chat, p.ID)
			if err != nil {
				return request{}, err
			}
			if n.Role == storage.Assistant && n.Parent != "" {
				return request{parent: n.Parent, mode: script.Swipe, nudge: instruction, speaker: n.Speaker}, nil
			}
			return request{parent: c.Head, nudge: instruction}, nil
		}
		return request{parent: c.Head, nudge: instruction}, nil
	})
}

// mostNudge is the longest instruction for one turn, in bytes.
const mostNudge = 4000

// nextMoment is the moment of a chat's next turn, and the request for it.
func (e *Engine) nextMoment(c storage.Chat) (moment, request) {
	r := request{chat: c.ID, parent: c.Head}
	if several(c) {
		_ = e.store.View(func(tx *storage.Tx) error { r.speaker, _ = e.NextSpeaker(tx, c, c.Head); return nil }) // the main one speaks then
	}
	return momentOf(c, r.speaker, r.rides()), r
}

// replyPresence is who witnesses a reply to a message: an answer to a whisper is
// whispered, and so is what its speaker goes on to say.
func replyPresence(tx *storage.Tx, c storage.Chat, parent storage.NodeID, speaker storage.CharacterID) *storage.Presence {
	if !several(c) {
		return nil
	}
	for p := range tx.Spine(c.ID, parent) {
		if !p.Said() {
			continue
		}
		n, err := tx.Node(c.ID, p.ID)
		if err == nil && n.Presence != nil && n.Presence.Whisper && slices.Contains(append([]storage.CharacterID{speakerOf(c, &n)}, n.Presence.Witnesses...), speaker) {
			return presence(c, n.Presence.Witnesses)
		}
		break
	}
	return presence(c, nil)
}

// NextPrompt implements lore.Next.
func (e *Engine) NextPrompt(c storage.Chat, known *knownModel) (script.Snapshot, moment, error) {
	m, r := e.nextMoment(c)
	snap, err := e.snapshot(r, m, known)
	return snap, m, err
}
