// Package library keeps who can play, and what comes in and goes out: characters, personas, and the files of
// other programs.
package library

import (
	"ghostlight/engine/core"
	"ghostlight/engine/lore"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
)

// Service keeps characters and personas. It is safe for concurrent use. What is
// exported is set while the engine is wired.
type Service struct {
	core   *core.Core
	chats  *chats.Service
	scenes *scenes.Service
	lore   *lore.Service
}

// New makes the service.
func New(c *core.Core, chats *chats.Service, scenes *scenes.Service, lore *lore.Service) *Service {
	return &Service{core: c, chats: chats, scenes: scenes, lore: lore}
}
