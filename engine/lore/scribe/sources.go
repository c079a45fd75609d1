package scribe

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Message is a message of a scene that facts may come from.
type Message struct {
	ID   storage.NodeID
	Name string // of who says it
	Text string
}

// nameStems is what names are recognised by.
func nameStems(names []string) map[string]bool {
	return plist.Stems(clip(strings.Join(names, " "), 2000))
}
