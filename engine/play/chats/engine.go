package chats

import (
	"ghostlight/storage"
)

const settingChat = "last_chat"

// Opened keeps which chat is on the screen, to open it at the next start.
func (svc *Service) Opened(chat storage.ChatID) error { return svc.house.PutSetting(settingChat, chat) }
