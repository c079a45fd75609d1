package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// BatchWhere waits until a batch is as wanted.
func (s *Harness) BatchWhere(id storage.BatchID, want func(pictures.BatchView) bool) pictures.BatchView {
	s.T.Helper()
	for {
		v, err := s.Pictures.FindBatch(string(id))
		Must(s.T, err)
		if want(v) {
			return v
		}
		Until(s, func(ev pictures.BatchChanged) bool { return ev.Batch.ID == id })
	}
}
