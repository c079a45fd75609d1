package chats

import (
	"ghostlight/storage"
)

// NameOf is a character's name, whoever has gone included.
func NameOf(tx *storage.Tx, id storage.CharacterID) string {
	c, err := storage.Characters.Get(tx, id)
	if err != nil {
		return "(deleted)"
	}
	return c.Card.Name
}
