package director

import (
	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service directs. It is safe for concurrent use. Hooks are registered while the engine is wired.
type Service struct {
	Speakers
	core   *core.Core
	models *models.Service
	backup *backup.Service
	chats  *chats.Service
	scenes *scenes.Service
	lore   *lore.Service
	memory *memory.Service
	// painter makes the pictures that the director wants.
	painter PictureMaker

	// StoryMoved runs in the transaction that moves a chat from one story to another. StoryChanged
	// gets the new story.
	StoryMoved   event.TxHooks[StoryMove]
	StoryChanged event.CommitHooks[storage.ScopeID]

	// records, ended plays and questions about pictures that are not emitted yet.
	records, ends, asks core.MessageQueue
}

// New makes the service. painter makes the pictures that the director wants.
func New(
	c *core.Core, models *models.Service, backup *backup.Service, chats *chats.Service, scenes *scenes.Service,
	lore *lore.Service,
	memory *memory.Service, painter PictureMaker,
) *Service {
	return &Service{Speakers: NewSpeakers(chats), core: c, models: models, backup: backup, chats: chats, scenes: scenes,
		lore: lore, memory: memory, painter: painter}
}

// Jobs are the queued jobs of the director: the pass after a turn, which is appended to the chat's
// prompt.
type Jobs struct {
	*Service
	prompts models.PromptAppender
}

// NewJobs makes the jobs of a service.
func NewJobs(svc *Service, prompts models.PromptAppender) *Jobs {
	return &Jobs{Service: svc, prompts: prompts}
}
