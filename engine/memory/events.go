package memory

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Changed is emitted when memories, hooks and threads of a story must be read again.
type Changed struct{ Scope storage.ScopeID }
