package pane

import (
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Speaker returns how the one who said a message is called.
func Speaker(m chats.Message) string {
	if m.Name != "" {
		return safetext.Line(m.Name)
	}
	if m.Role == storage.User {
		return "you"
	}
	return "the character"
}

// MessageName returns where on the path a message stands, as far as it is at hand.
func MessageName(d Host, id storage.NodeID) string {
	if m, ok := d.Play().Message(id); ok {
		return "message " + strconv.Itoa(m.Depth+1)
	}
	return "an older message"
}
