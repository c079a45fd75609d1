package boards

import (
	"ghostlight/storage"
)

// Changed says that the storyboard of the scene that ends at Node must be
// read again.
type Changed struct {
	Chat storage.ChatID
	Node storage.NodeID
}
