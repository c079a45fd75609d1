package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Changed is emitted when a chat's scenes and recaps must be read again.
type Changed struct{ Chat storage.ChatID }

// BreakDetected is emitted after Changed when a scene break was detected at a message.
type BreakDetected struct {
	Chat      storage.ChatID
	Node      storage.NodeID
	Rationale string
}
