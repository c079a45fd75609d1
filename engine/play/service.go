// Package play runs turns: it builds the prompt, streams in the reply, chooses the speaker, and
// reads the next prompt ahead.
package play

import (
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service plays turns. It is safe for concurrent use.
type Service struct {
	core     *core.Core
	models   *models.Service
	backup   *backup.Service
	chats    *chats.Service
	scenes   *scenes.Service
	lore     *lore.Service
	memory   *memory.Service
	director *director.Service
	pictures *pictures.Service

	// taste returns the user's taste in writing as text for the prompt of a turn, "" for none.
	taste func(tx *storage.Tx, c storage.Chat) string

	mu        sync.Mutex
	last      lastPrompt
	lastAsked time.Time // when the model was asked for something last

	files       phraseFiles     // the user's own lists
	sets        setCache        // compiled lists of phrases
	thinksAgain map[string]bool // models that think when they should continue

	anew map[string]bool // models that have begun again when they should continue

	warming warmer
}

// New returns a Service. taste returns the user's taste in writing as text for the prompt of a
// turn, "" for none.
func New(
	c *core.Core, models *models.Service, backup *backup.Service, chats *chats.Service, scenes *scenes.Service,
	lore *lore.Service,
	memory *memory.Service, director *director.Service, pictures *pictures.Service,
	taste func(tx *storage.Tx, c storage.Chat) string,
) *Service {
	return &Service{core: c, models: models, backup: backup, chats: chats, scenes: scenes, lore: lore, memory: memory,
		director: director,
		pictures: pictures, taste: taste}
}
