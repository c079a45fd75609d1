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

// Service makes pictures, from the moment to the file. It is safe for concurrent use.
// Its parts know nothing of each other. What reacts to it is registered while the engine is wired.
type Service struct {
	Gallery    *Gallery
	Continuity *Continuity
	Cameras    *Cameras
	Workflows  *Workflows
	Faces      *Faces

	core   *core.Core
	models *models.Service
	chats  *chats.Service
	lore   *lore.Service
	memory *memory.Service
	// taste is what a prompt is told of how the user likes pictures, and of what was said
	// about a shot's scene; "" for nothing.
	taste func(tx *storage.Tx, c storage.Chat, shown storage.Capture) string

	// Edited is what follows when the user has changed a capture. Unloaded hears which
	// language models were unloaded to make room.
	Edited event.TxHooks[CaptureEdited]
	// Failed is what follows when a capture has come to nothing, once for each time.
	Failed   event.TxHooks[storage.Capture]
	Unloaded event.CommitHooks[[]string]
	// NeedsRoom hears which picture needs the memory that the language models hold. What uses
	// them without being asked for has ended when it returns.
	NeedsRoom event.CommitHooks[storage.CaptureID]

	room room
	// pictured are pictures, by their ids in place of a message's, that nobody has been
	// told of yet.
	pictured core.MessageQueue
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
	svc.Faces = &Faces{core: c, gallery: svc.Gallery, write: svc.WriteFile}
	return svc
}
