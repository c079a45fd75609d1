package config

import (
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
)

// Lore configures how lorebooks are used and filled. Its zero value means the defaults.
type Lore struct {
	Settings  *activation.Settings // nil: lore.DefaultSettings
	Placement string               // stay or tail; "": DefaultPlacement
	NoFill    bool                 // do not fill the chat's book from recaps
	Types     []string             // of entries; nil: fill.Types
	Review    map[string]string    // by type, "default" for the rest: apply or review; types not listed: apply
	Compact   int                  // content length in runes at which compaction is proposed; 0: 1200, < 0: never
}
