package boards

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// AnimaticProgress says how many shots of an animatic are drawn.
type AnimaticProgress struct {
	Chat     storage.ChatID
	Node     storage.NodeID
	Done, Of int
}

// Changed says that the storyboard of the scene that ends at Node must be
// read again.
type Changed struct {
	Chat storage.ChatID
	Node storage.NodeID
}
