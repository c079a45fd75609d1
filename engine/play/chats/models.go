package chats

import (
	"ghostlight/storage"
)

// SetModel chooses a chat's own model, "" for the default one.
func (svc *Service) SetModel(chat storage.ChatID, name string) error {
	if svc.core.Config.Rehearse {
		return nil
	}
	return svc.Change(chat, func(c *storage.Chat) { c.Model = name })
}
