package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service looks after scenes. It is safe for concurrent use. What is
// exported is set while the engine is wired.
type Service struct {
	core  *core.Core
	house *house.Service
	chats *chats.Service

	// Memories are those of a story that are known where a scene ends to all of some characters,
	// nil everybody. It may be nil.
	Memories func(tx *storage.Tx, c storage.Chat, last storage.NodeID, audience []storage.CharacterID) []scene.Remembered
	// LoreAt are the lorebook entries that a recap of a scene need not tell again.
	LoreAt func(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]Known, error)

	// Taste is what a recap is told of how the user likes recaps, "" for nothing.
	Taste func(tx *storage.Tx, c storage.Chat, about string) string

	// Ended, Recapped and RecapEdited are what follows when a scene ends, when a recap
	// of one was made, and when the user has changed one.
	Ended       event.Within[core.Place]
	Recapped    event.Within[Recapped]
	RecapEdited event.Within[RecapEdited]

	// detected are breaks, and changed are scenes with other messages than before, that
	// nobody has been told of yet.
	detected, changed core.Places
}

// New makes the service.
func New(c *core.Core, house *house.Service, chats *chats.Service) *Service {
	return &Service{core: c, house: house, chats: chats}
}
