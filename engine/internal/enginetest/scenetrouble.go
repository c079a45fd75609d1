package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// OnJobs lets answers that follow a schema go wrong.
func (s *Stage) OnJobs(f rehearsal.Fault) {
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Path == "/api/chat" && len(c.Format) > 0 {
			return f
		}
		return rehearsal.Fault{}
	})
}

// ProfileFor stores a profile, unchecked, and has a kind of work use it.
func (s *Stage) ProfileFor(kind models.JobKind, p storage.Profile) {
	s.T.Helper()
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Profiles.Put(tx, p.Name, p) }))
	Must(s.T, s.Models.AssignProfile(kind, p.Name))
}
