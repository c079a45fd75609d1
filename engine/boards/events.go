package boards

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// AnimaticProgress is emitted for each drawn shot of an animatic.
type AnimaticProgress struct {
	Chat     storage.ChatID
	Node     storage.NodeID
	Done, Of int
}

// Changed is emitted when the storyboard of the scene that ends at Node has changed.
type Changed struct {
	Chat storage.ChatID
	Node storage.NodeID
}
