package taste

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Changed says that what is known of how the user directs a story must be
// read again.
type Changed struct{ Scope storage.ScopeID }
