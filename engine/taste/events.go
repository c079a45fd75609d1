package taste

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Changed is emitted when the known taste of the user in a story has changed.
type Changed struct{ Scope storage.ScopeID }
