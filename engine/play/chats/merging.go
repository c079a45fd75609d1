package chats

import (
	"ghostlight/storage"
)

// OnPath tells whether a message lies on the way from the root to leaf.
func OnPath(tx *storage.Tx, chat storage.ChatID, leaf, node storage.NodeID) bool {
	want, err := tx.Place(chat, node)
	if err != nil {
		return false
	}
	for p := range tx.Spine(chat, leaf) {
		if p.Depth <= want.Depth {
			return p.ID == node
		}
	}
	return false
}
