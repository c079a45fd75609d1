package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
)

// Service manages scenes. It is safe for concurrent use. Hooks are registered while the engine is
// wired.
type Service struct {
	core   *core.Core
	models *models.Service
	chats  *chats.Service

	// Ended, Recapped and RecapEdited run when a scene ends, when a recap of one was made, and when
	// the user has changed one.
	Ended       event.TxHooks[core.MessageRef]
	Recapped    event.TxHooks[Recapped]
	RecapEdited event.TxHooks[RecapEdited]

	// detected are breaks, and changed are scenes with changed messages, that are not reported yet.
	detected, changed core.MessageQueue
}

// New makes the service.
func New(c *core.Core, models *models.Service, chats *chats.Service) *Service {
	return &Service{core: c, models: models, chats: chats}
}
