package knowledge

import (
	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// overruled reports whether a later fact says something else than another. Only ends decide that.
func (*story) overruled(*storage.Tx, *facts.Fact) bool { return false }
