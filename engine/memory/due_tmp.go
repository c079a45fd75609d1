package memory

import "github.com/ghostlight-theatre/ghostlight/storage"

func HooksDue(tx *storage.Tx, scope storage.ScopeID, told storage.Told, ids []storage.HookID) error {
	return nil
}
