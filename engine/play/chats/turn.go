package chats

import (
	"ghostlight/storage"
)

// Below is where a reply to parent goes: under the pictures that were hung
// below it meanwhile, so that they stay on the path.
func Below(tx *storage.Tx, c storage.Chat, parent storage.NodeID) storage.NodeID {
	for at := c.Head; at != "" && at != parent; {
		n, err := tx.Node(c.ID, at)
		if err != nil || n.Role != storage.SceneCapture {
			return parent
		}
		if at = n.Parent; at == parent {
			return c.Head
		}
	}
	return parent
}
