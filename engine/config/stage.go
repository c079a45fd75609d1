package config

import (
	"time"
)

// Stage configures how episodes are directed and what is remembered. Its zero value means the
// defaults.
type Stage struct {
	NoDirector bool // do not look at each exchange
	NoMemories bool // do not look for facts worth remembering
	NoHooks    bool // do not look for things to bring up later
	Separate   bool // ask by a request for each of these, not by one on the chat's prompt
	NoMoment   bool // no moment note in the prompt
	NoEngaged  bool // no state of the relationship in the prompt
	// Sparks limits what a chat may spend on pictures that are made automatically; nil:
	// DefaultSparks, 0: none are made.
	Sparks *int
	// Idle is the pause that ends a session; 0: DefaultIdle.
	Idle time.Duration
	// NoteEvery is the number of the user's messages after which the author's note is repeated; 0:
	// DefaultNoteEvery, 1: it moves with every turn.
	NoteEvery int
	WarmUp    bool // read the prompt ahead while the server is idle
	// EmbedModel is the model that finds memories by their meaning, "" for none;
	// EmbedServer its server, "" for the chats' own.
	EmbedModel, EmbedServer string
}

// The defaults of the stage.
const (
	DefaultSparks    = 50
	DefaultIdle      = 30 * time.Minute
	DefaultNoteEvery = 2
	// InactiveAfter is the time without activity after which an episode in play counts as inactive.
	InactiveAfter = 14 * 24 * time.Hour
)
