// Package taste learns how the user directs: from edits it derives lessons and the profile of a
// story, and it adds the profile to prompts.
package taste

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
)

// Service learns how the user directs. It is safe for concurrent use. Exported fields are set
// while the engine is wired.
type Service struct {
	core   *core.Core
	models *models.Service
	chats  *chats.Service
	lore   *lore.Service
	memory *memory.Service
}

// New makes the service.
func New(c *core.Core, models *models.Service, chats *chats.Service, lore *lore.Service,
	memory *memory.Service) *Service {
	return &Service{core: c, models: models, chats: chats, lore: lore, memory: memory}
}
