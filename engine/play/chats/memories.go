package chats

import (
	"ghostlight/engine/failure"
	"ghostlight/storage"
)

// ScopeOf is whose story a chat belongs to.
func (svc *Service) ScopeOf(chat storage.ChatID) (scope storage.ScopeID, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		scope = ScopeOf(c)
		return err
	})
	if err != nil {
		return "", failure.Fail("read chat", err)
	}
	return scope, nil
}
