package lore

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
)

// Service manages the lorebooks. It is safe for concurrent use.
type Service struct {
	core   *core.Core
	models *models.Service
	chats  *chats.Service
	scenes *scenes.Service

	cache   entryCache
	indexes chatIndexes
}

// New makes the service.
func New(c *core.Core, models *models.Service, chats *chats.Service, scenes *scenes.Service) *Service {
	return &Service{core: c, models: models, chats: chats, scenes: scenes}
}
