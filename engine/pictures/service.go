package pictures

import (
	"sync"

	"ghostlight/engine/core"
	"ghostlight/engine/event"
	"ghostlight/engine/house"
	"ghostlight/engine/lore"
	"ghostlight/engine/memory"
	"ghostlight/engine/play/chats"
)

// Service makes pictures, from the moment to the file. It is safe for concurrent use.
// What is exported is set while the engine is wired; its parts know nothing of each
// other.
type Service struct {
	Gallery    *Gallery
	Continuity *Continuity
	Cameras    *Cameras
	Workflows  *Workflows

	core   *core.Core
	house  *house.Service
	chats  *chats.Service
	memory *memory.Service

	// Replies is what is said in the chats meanwhile.
	Replies Replies

	// Edited is what follows when the user has changed a capture. Unloaded hears which
	// language models were unloaded to make room.
	Edited   event.Within[CaptureEdited]
	Unloaded event.After[[]string]

	renders renderState
	// pictured are pictures, by their ids in place of a message's, that nobody has been
	// told of yet.
	pictured core.Places

	mu      sync.Mutex
	intents map[string][][]float32 // what the prototypes of intents mean, by embedding model
}

// New makes the service.
func New(c *core.Core, house *house.Service, chats *chats.Service, lore *lore.Service, memory *memory.Service) *Service {
	return &Service{core: c, house: house, chats: chats, memory: memory, Gallery: &Gallery{core: c, chats: chats},
		Continuity: &Continuity{core: c, chats: chats, lore: lore}, Cameras: &Cameras{core: c}, Workflows: &Workflows{core: c, house: house}}
}
