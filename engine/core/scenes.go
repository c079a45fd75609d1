package core

import (
	"ghostlight/storage"
)

// Place names a message of a chat.
type Place struct {
	Chat storage.ChatID
	Node storage.NodeID
}
