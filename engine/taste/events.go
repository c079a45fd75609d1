package taste

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Changed is emitted when what is known of the user's taste for a story has changed.
type Changed struct{ Scope storage.ScopeID }
