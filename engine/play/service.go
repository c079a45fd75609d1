// Package play is the turn: what the model is told, how its reply comes in, who speaks, and the reading
// ahead of the next prompt.
package play

import (
	"sync"

	"ghostlight/engine/core"
	"ghostlight/engine/director"
	"ghostlight/engine/house"
	"ghostlight/engine/lore"
	"ghostlight/engine/pictures"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
)

// Service plays turns. It is safe for concurrent use. What is
// exported is set while the engine is wired.
type Service struct {
	core     *core.Core
	house    *house.Service
	chats    *chats.Service
	scenes   *scenes.Service
	lore     *lore.Service
	director *director.Service
	pictures *pictures.Service

	mu        sync.Mutex
	turns     map[storage.ChatID]*liveTurn // that run
	lastTurns map[storage.ChatID]*liveTurn // that ran last
	last      lastPrompt
	foreseen  foreseen

	warming warmer
}

// New makes the service.
func New(c *core.Core, house *house.Service, chats *chats.Service, scenes *scenes.Service, lore *lore.Service, director *director.Service, pictures *pictures.Service) *Service {
	return &Service{core: c, house: house, chats: chats, scenes: scenes, lore: lore, director: director, pictures: pictures,
		turns: map[storage.ChatID]*liveTurn{}, lastTurns: map[storage.ChatID]*liveTurn{}}
}
