package chats

import (
	"ghostlight/storage"
)

// CastView is a character of a chat.
type CastView struct {
	Character storage.CharacterID
	Name      string
	Main      bool
	Away      bool
	HasAvatar bool
}

// CastList is who plays in a chat besides the user. Next is who would speak
// next, and Why.
type CastList struct {
	List  []CastView
	Order storage.TurnOrder
	Next  storage.CharacterID
	Why   string
}
