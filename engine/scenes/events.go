package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Changed says that a chat's scenes and recaps must be read again.
type Changed struct{ Chat storage.ChatID }

// BreakDetected says that a scene was found to end at a message, and why.
// Changed comes before it.
type BreakDetected struct {
	Chat      storage.ChatID
	Node      storage.NodeID
	Rationale string
}
