// Package library manages characters and personas, and imports and exports the files of other
// programs.
package library

import (
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
)

// Service manages characters and personas. It is safe for concurrent use. Exported fields are set
// while the engine is wired.
type Service struct {
	core     *core.Core
	chats    *chats.Service
	scenes   *scenes.Service
	lore     *lore.Service
	models   *models.Service
	pictures *pictures.Service
	boards   *boards.Service
}

// New makes the service.
func New(c *core.Core, models *models.Service, chats *chats.Service, scenes *scenes.Service, lore *lore.Service,
	pictures *pictures.Service, boards *boards.Service) *Service {
	return &Service{core: c, models: models, chats: chats, scenes: scenes, lore: lore, pictures: pictures,
		boards: boards}
}
