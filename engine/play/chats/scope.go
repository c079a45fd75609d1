package chats

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ScopeOf returns the scope of the story that a chat belongs to.
func (svc *Service) ScopeOf(chat storage.ChatID) (scope storage.ScopeID, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		scope = ScopeOf(c)
		return err
	})
	if err != nil {
		return "", failure.Wrap("read chat", err)
	}
	return scope, nil
}

// ScopeIn is like ScopeOf, but returns "" on errors.
func (svc *Service) ScopeIn(chat storage.ChatID) storage.ScopeID {
	scope, err := svc.ScopeOf(chat)
	if err != nil {
		return ""
	}
	return scope
}
