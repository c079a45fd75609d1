// Package memory manages the known facts of a play and who knows them: memories, hooks, threads,
// and one view of these and of the facts of recaps, lorebooks and messages. It ends facts, corrects
// a fact in every place that states it, answers questions, and recalls facts that have left the
// prompt when their subject is named.
//
// Memories, hooks and threads are stored here; other records stay where they are. The index of
// facts is built from all of them and follows the path in question: a turn reads only what is new
// since the last one.
package memory

import (
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service manages memories and hooks. It is safe for concurrent use.
type Service struct {
	core   *core.Core
	models *models.Service
	chats  *chats.Service
	scenes *scenes.Service
	lore   *lore.Service

	speakers Speakers

	embedder embedder

	mu      sync.Mutex
	indexes []*pathIndex           // used last comes last
	newest  map[storage.ChatID]int // the store's transaction that last rewrote messages of a chat
}

// New makes the service.
func New(
	c *core.Core, models *models.Service, chats *chats.Service, scenes *scenes.Service, lore *lore.Service,
	speakers Speakers,
) *Service {
	return &Service{core: c, models: models, chats: chats, scenes: scenes, lore: lore, speakers: speakers,
		newest: map[storage.ChatID]int{}}
}
