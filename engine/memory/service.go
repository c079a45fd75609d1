// Package memory keeps what is known, and by whom: memories, hooks and threads.
package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
)

// Service keeps what is remembered. It is safe for concurrent use. What is
// exported is set while the engine is wired.
type Service struct {
	core  *core.Core
	house *house.Service
	chats *chats.Service

	// Speakers know who is to speak.
	Speakers Speakers

	mean meanings
}

// New makes the service.
func New(c *core.Core, house *house.Service, chats *chats.Service) *Service {
	return &Service{core: c, house: house, chats: chats}
}
