package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service makes pictures, from the moment to the file. It is safe for concurrent use. Subscribers
// are registered while the engine is wired.
type Service struct {
	Gallery    *Gallery
	Continuity *Continuity
	Cameras    *Cameras
	Workflows  *Workflows
	References *References

	core   *core.Core
	models *models.Service
	chats  *chats.Service
	lore   *lore.Service
	memory *memory.Service
	// taste returns what a prompt says about the user's taste in pictures and about the shot's
	// scene, "" for nothing.
	taste func(tx *storage.Tx, c storage.Chat, shown storage.Capture) string

	// Edited runs after the user has changed a capture. Unloaded is called with the language
	// models that were unloaded.
	Edited event.TxHooks[CaptureEdited]
	// Failed runs once when a capture has failed.
	Failed   event.TxHooks[storage.Capture]
	Unloaded event.CommitHooks[[]string]
	// NeedsMemory is called before a picture needs the language models' memory. Background users
	// of the models have ended when it returns.
	NeedsMemory event.CommitHooks[storage.CaptureID]

	gpu gpuMemory
	// unannounced are pictures, by ID, that have not been announced yet.
	unannounced core.MessageQueue
}

// New makes the service. taste returns what a prompt says of how the user likes pictures, "" for
// nothing.
func New(
	c *core.Core, models *models.Service, chats *chats.Service, lore *lore.Service, memory *memory.Service,
	taste func(tx *storage.Tx, c storage.Chat, shown storage.Capture) string,
) *Service {
	svc := &Service{
		core:       c,
		models:     models,
		chats:      chats,
		lore:       lore,
		memory:     memory,
		taste:      taste,
		Gallery:    &Gallery{core: c, chats: chats},
		Continuity: &Continuity{core: c, chats: chats},
		Cameras:    &Cameras{core: c},
		Workflows:  &Workflows{core: c, models: models},
	}
	svc.References = &References{core: c, gallery: svc.Gallery, write: svc.WriteFile}
	return svc
}
