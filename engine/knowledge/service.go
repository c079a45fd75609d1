// Package knowledge is what a play knows, seen as one: it keeps the index of facts of
// the chats that are played, tells where a fact stands in a prompt so that none is told
// twice, and brings back what has left the prompt when its subject is named.
//
// The records stay where they are: in recaps, lorebooks, memories, hooks and the
// messages themselves. The index is made of them and follows the path that is asked
// about: a turn reads what is new since the last one.
package knowledge

import (
	"slices"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service knows what plays know. It is safe for concurrent use.
type Service struct {
	core   *core.Core
	house  *house.Service
	chats  *chats.Service
	scenes *scenes.Service
	lore   *lore.Service
	memory *memory.Service

	// Next makes the next prompt. It is set once, before the service is used.
	Next Prompter

	mu      sync.Mutex
	stories []*story               // used last comes last
	newest  map[storage.ChatID]int // the state of the store in which a chat's messages were rewritten last
}

// mostStories is how many chats' indexes are kept.
const mostStories = 3

// New makes the service.
func New(c *core.Core, house *house.Service, chats *chats.Service, scenes *scenes.Service, lore *lore.Service, memory *memory.Service) *Service {
	return &Service{core: c, house: house, chats: chats, scenes: scenes, lore: lore, memory: memory, newest: map[storage.ChatID]int{}}
}

// story is the index of a chat's path, aimed where it was last asked. Its lock is held
// while it is read.
func (svc *Service) story(chat storage.ChatID) *story {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	for i, s := range svc.stories {
		if s.chat == chat {
			svc.stories = append(append(svc.stories[:i:i], svc.stories[i+1:]...), s)
			return s
		}
	}
	s := &story{chat: chat, newest: svc.newest[chat]}
	svc.stories = append(svc.stories, s)
	if len(svc.stories) > mostStories {
		svc.stories = svc.stories[1:]
	}
	return s
}

// Reread has messages that are rewritten in a transaction read again, by those who see it.
// Who reads an older state of the store meanwhile does not bring their old words back.
func (svc *Service) Reread(tx *storage.Tx, r chats.Rewrite) error {
	svc.mu.Lock()
	svc.newest[r.Chat] = tx.Version()
	at := slices.IndexFunc(svc.stories, func(s *story) bool { return s.chat == r.Chat })
	if at < 0 {
		svc.mu.Unlock()
		return nil
	}
	s := svc.stories[at]
	svc.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest, s.again = tx.Version(), append(s.again, r.Nodes...)
	return nil
}
