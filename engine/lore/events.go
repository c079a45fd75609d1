package lore

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Changed is emitted when lorebooks must be read again: those of a chat, or any if Chat is "". Book
// is the one that was changed, "" for several.
type Changed struct {
	Chat storage.ChatID
	Book storage.LorebookID
}
