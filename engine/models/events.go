package models

import (
	"github.com/ghostlight-theatre/ghostlight/engine/event"
)

// ServerChanged is the event of a new state of the servers.
type ServerChanged struct{ Servers Servers }

// PullProgressed is the event of a model download's progress, in bytes.
type PullProgressed struct {
	Model, Status string
	Done, Total   int64
	Finished      bool
	Err           error
}

// Join implements Joinable: of the progress of a download the newest counts.
func (p PullProgressed) Join(before event.Event) (event.Event, bool) {
	last, ok := before.(PullProgressed)
	return p, ok && last.Model == p.Model && !last.Finished
}
