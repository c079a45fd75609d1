package director

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SeriesChanged is emitted when series and episodes must be read again.
type SeriesChanged struct{}

// Changed is emitted when the director's data of a chat must be read again.
type Changed struct{ Chat storage.ChatID }

// EpisodeEnded is emitted when a play is complete. Next is the episode to suggest, nil for none.
type EpisodeEnded struct {
	Chat storage.ChatID
	By   storage.EndedBy
	Next *storage.Episode
}

// SparksWanted asks whether pictures may be made by themselves in a chat. It
// comes once; AllowScenes answers it.
type SparksWanted struct {
	Chat       storage.ChatID
	Node       storage.NodeID
	Cost, Left int
}
