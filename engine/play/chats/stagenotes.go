package chats

import (
	"ghostlight/storage"
)

// AnchorOf is the message before which new notes stand: the user's newest, or
// the newest where the user has said nothing.
func AnchorOf(h []storage.Node) storage.NodeID {
	newest := storage.NodeID("")
	for i := len(h) - 1; i >= 0; i-- {
		n := &h[i]
		if n.Deleted || n.Content == "" || n.Role != storage.User && n.Role != storage.Assistant {
			continue
		}
		if n.Role == storage.User {
			return n.ID
		}
		if newest == "" {
			newest = n.ID
		}
	}
	return newest
}
