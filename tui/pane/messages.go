package pane

import (
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Speaker returns the name of a message's speaker.
func Speaker(m chats.Message) string {
	if m.Name != "" {
		return safetext.Line(m.Name)
	}
	if m.Role == storage.User {
		return "you"
	}
	return "the character"
}

// MessageName returns a message's position on the path, if the message is loaded.
func MessageName(d Host, id storage.NodeID) string {
	if m, ok := d.Play().Message(id); ok {
		return "message " + strconv.Itoa(m.Depth+1)
	}
	return "an older message"
}
