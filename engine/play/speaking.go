package play

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Speak asks for the next reply from a character, without a message of the user.
func (svc *Service) Speak(chat storage.ChatID, who storage.CharacterID) error {
	return svc.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		if err := chats.MayAnswer(c, who); err != nil {
			return request{}, failure.Wrap("speak", err)
		}
		return request{parent: c.Head, speaker: who}, nil
	})
}

// Nudge asks for the next reply with an instruction for this turn only, which is not stored. If a
// reply ends the chat, it asks for another reply in its place, with that reply's steer.
func (svc *Service) Nudge(chat storage.ChatID, instruction string) error {
	instruction = strings.TrimSpace(instruction)
	if instruction == "" {
		return failure.Wrap("nudge", failure.Refusef("enter what the reply should do"))
	}
	if len(instruction) > maxNudge {
		return failure.Wrap("nudge", failure.Refusef("a nudge may have at most %d bytes", maxNudge))
	}
	return svc.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		r, err := replaceRequest(tx, c)
		r.nudge = instruction
		return r, err
	})
}

// maxNudge is the longest instruction for one turn, in bytes.
const maxNudge = 4000

// nextMoment returns the moment of a chat's next turn, and the request for it. line is what the
// user says first, "" for nothing.
func (svc *Service) nextMoment(c storage.Chat, line string) (chats.Viewpoint, request) {
	r := request{chat: c.ID, parent: c.Head}
	if chats.IsGroup(c) {
		_ = svc.core.Store.View(func(tx *storage.Tx) error {
			r.speaker, _ = svc.director.NextAfterLine(tx, c, c.Head, line)
			return nil
		}) // on failure the main character speaks
	}
	return chats.ViewpointOf(c, r.speaker, r.followsReply()), r
}

// peopleOf returns the characters of a chat as the others know them, in cast order.
func peopleOf(tx *storage.Tx, c storage.Chat) []prompt.Person {
	var people []prompt.Person
	for _, id := range chats.Members(c) {
		if ch, err := storage.Characters.Get(tx, id); err == nil {
			about := cmp.Or(strings.TrimSpace(ch.Card.Description), ch.Card.Personality)
			people = append(people, prompt.Person{Name: ch.Card.CharName(), Description: about,
				Looks: ch.Imagery.Appearance})
		}
	}
	return people
}

// whispersOf returns the lines that mark whispered messages of a history for the moment's speaker,
// including that of a continued reply.
func whispersOf(
	tx *storage.Tx, m chats.Viewpoint, p storage.Persona, r request, history []storage.Node,
) map[storage.NodeID]string {
	if m.Speaker == "" {
		return nil
	}
	var grown []storage.Node
	if r.continued != nil {
		grown = append(grown, *r.continued)
	}
	return chats.Whispers(tx, m.Chat, cmp.Or(p.Name, "User"), history, grown)
}

// replyPresence returns who witnesses a reply to a message. The reply to a whisper is whispered if
// its speaker took part in the whisper, and so are that speaker's following messages.
func replyPresence(tx *storage.Tx, c storage.Chat, parent storage.NodeID,
	speaker storage.CharacterID) *storage.Presence {
	if !chats.IsGroup(c) {
		return nil
	}
	for p := range tx.PathInfos(c.ID, parent) {
		if !p.InStory() {
			continue
		}
		n, err := tx.Node(c.ID, p.ID)
		if err == nil && n.Presence != nil && n.Presence.Whisper &&
			slices.Contains(append([]storage.CharacterID{chats.SpeakerOf(c, &n)}, n.Presence.Witnesses...), speaker) {
			return chats.Presence(c, n.Presence.Witnesses)
		}
		break
	}
	return chats.Presence(c, nil)
}

// ActivateLore returns what the lorebooks would put into a chat's next prompt if the user said
// input; with "" it uses the messages so far.
func (svc *Service) ActivateLore(ctx context.Context, chat storage.ChatID, input string) (lore.Activation, error) {
	return svc.lore.Activate(ctx, chat, input,
		func(c storage.Chat, known *models.KnownModel) (prompt.Snapshot, chats.Viewpoint, error) {
			return svc.withoutLore(c, known, input)
		})
}

// withoutLore returns the snapshot and moment of the next prompt without lore, if the user says
// line.
func (svc *Service) withoutLore(c storage.Chat, known *models.KnownModel,
	line string) (prompt.Snapshot, chats.Viewpoint, error) {
	m, r := svc.nextMoment(c, line)
	var snap prompt.Snapshot
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		snap, err = svc.snapshot(tx, r, m, known)
		return err
	})
	return snap, m, err
}
