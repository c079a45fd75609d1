package boards

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
)

// Service manages storyboards. It is safe for concurrent use. Exported fields are set while the
// engine is wired.
type Service struct {
	core     *core.Core
	models   *models.Service
	chats    *chats.Service
	scenes   *scenes.Service
	pictures *pictures.Service
	taste    *taste.Service
}

// New makes the service.
func New(c *core.Core, models *models.Service, chats *chats.Service, scenes *scenes.Service, pictures *pictures.Service,
	taste *taste.Service) *Service {
	return &Service{core: c, models: models, chats: chats, scenes: scenes, pictures: pictures, taste: taste}
}
