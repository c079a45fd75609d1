package house

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// FindOperation finds an operation by its id or a unique prefix of it.
func (svc *Service) FindOperation(ref string) (storage.Operation, error) {
	return core.Find(svc.core, "operation", ref, storage.Operations, func(o storage.Operation) (string, string) { return string(o.ID), "" })
}
