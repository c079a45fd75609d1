package chats

import (
	"slices"

	"ghostlight/engine/failure"
	"ghostlight/storage"
)

// NamesOf are what characters are called.
func (svc *Service) NamesOf(tx *storage.Tx, ids []storage.CharacterID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		if ch, err := storage.Characters.Get(tx, id); err == nil {
			out[i] = ch.Card.CharName()
		}
	}
	return out
}

// MayAnswer refuses who is not in a chat or is away.
func MayAnswer(c storage.Chat, who storage.CharacterID) error {
	switch {
	case who == "":
		return nil
	case who != c.Character && !slices.Contains(CastOf(c), who):
		return failure.Refuse("this character does not play in the chat")
	case Several(c) && !slices.Contains(Present(c), who):
		return failure.Refuse("this character is away: bring it back first")
	}
	return nil
}
