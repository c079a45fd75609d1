package chats

import (
	"ghostlight/storage"
)

// Exchange is 1 where a reply answers something that the user has said since the
// last one, else 0.
func Exchange(tx *storage.Tx, n *storage.Node) int {
	for p := range tx.Spine(n.Chat, n.Parent) {
		if !p.Said() {
			continue
		}
		if m, err := tx.Node(n.Chat, p.ID); err == nil && m.Role == storage.User {
			return 1
		}
		break
	}
	return 0
}
