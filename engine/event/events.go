// Package event carries what happens: to followers, who are told of it once it is
// stored, and to those who act because of it, inside the same transaction or after
// it. It knows nothing of what it carries.
package event

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Event is something that happened. Each column declares its own. A follower gets
// all events in the order in which they happened, whole, except where one is
// Joinable.
type Event any

// Joinable is an event that can be told together with the one before it, or in its
// place.
type Joinable interface {
	// Join is both events in one; false where they do not belong together.
	Join(before Event) (Event, bool)
}

// ChatMover is an event that changes the messages of a chat, beyond the growing of one:
// that says itself where it belongs.
type ChatMover interface{ Moves() storage.ChatID }

// Level is how much a notice matters.
type Level int

const (
	Info Level = iota
	Warning
	Error
)

// Notice holds passing words for the user.
type Notice struct {
	Level Level
	Text  string
}
