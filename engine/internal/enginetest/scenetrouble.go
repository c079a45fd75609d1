package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// OnJobs lets answers that follow a schema go wrong.
func (s *Harness) OnJobs(f demo.Fault) {
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path == "/api/chat" && len(c.Format) > 0 {
			return f
		}
		return demo.Fault{}
	})
}

// ProfileFor stores a profile, unchecked, and has a kind of work use it.
func (s *Harness) ProfileFor(kind models.JobKind, p storage.Profile) {
	s.T.Helper()
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Profiles.Put(tx, p.Name, p) }))
	Must(s.T, s.Models.AssignProfile(kind, p.Name))
}
