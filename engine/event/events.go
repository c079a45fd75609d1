// Package event delivers events: to followers, after they were stored, and to hooks that react to
// them, inside the same transaction or after it. It does not depend on the types of the events.
package event

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Event is something that happened. Each service declares its own types. A follower gets all events
// in the order of their occurrence and unchanged, except if one is Joinable.
type Event any

// Joinable is an event that can be merged with the one before it or replace it.
type Joinable interface {
	// Join returns both events as one, false if they do not belong together.
	Join(before Event) (Event, bool)
}

// ChatChanger is an event that changes the messages of a chat. Growing text is no such event: it
// names its own place.
type ChatChanger interface{ ChangedChat() storage.ChatID }

// Level is the importance of a notice.
type Level int

const (
	Info Level = iota
	Warning
	Error
)

// Notice is a short message for the user.
type Notice struct {
	Level Level
	Text  string
}
