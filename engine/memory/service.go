// Package memory is what a play knows, and who knows it: memories, hooks, threads, and the facts of
// recaps, lorebooks and messages beside them, seen as one. It ends what is over, corrects a fact in
// every place that states it, answers questions, and finds what has left the prompt when its
// subject is named.
//
// Memories, hooks and threads are stored here. The other records stay where they are. The index of
// facts is made of all of them and follows the path that is asked about: a turn reads what is new
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

// Service keeps what plays know. It is safe for concurrent use.
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
	newest  map[storage.ChatID]int // the state of the store in which a chat's messages were rewritten last
}

// New makes the service.
func New(
	c *core.Core, models *models.Service, chats *chats.Service, scenes *scenes.Service, lore *lore.Service, speakers Speakers,
) *Service {
	return &Service{core: c, models: models, chats: chats, scenes: scenes, lore: lore, speakers: speakers,
		newest: map[storage.ChatID]int{}}
}
