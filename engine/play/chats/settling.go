package chats

import (
	"ghostlight/storage"
)

// ScopeIn is whose story a chat belongs to, "" where that cannot be read.
func (svc *Service) ScopeIn(chat storage.ChatID) storage.ScopeID {
	scope, err := svc.ScopeOf(chat)
	if err != nil {
		return ""
	}
	return scope
}
