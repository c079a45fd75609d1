package pictures

import (
	"ghostlight/engine/core"
	"ghostlight/storage"
)

// FindCapture finds a capture by its id or a unique prefix of it.
func (svc *Service) FindCapture(ref string) (storage.Capture, error) {
	return core.Find(svc.core, "capture", ref, storage.Captures, func(c storage.Capture) (string, string) { return string(c.ID), "" })
}
