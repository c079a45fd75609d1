package memory

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mostStories is how many chats' indexes are kept.
const mostStories = 3

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
