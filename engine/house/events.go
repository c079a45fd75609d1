package house

import (
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// OperationChanged carries an operation of the queue in its new state.
type OperationChanged struct{ Operation storage.Operation }

// OperationProgress tells how far a running operation has come.
type OperationProgress struct {
	ID       storage.OperationID
	Type     string
	Capture  storage.CaptureID // that it works on, if any
	Chat     storage.ChatID    // likewise
	Node     storage.NodeID    // the scene's last message, or the message
	Progress queue.Progress
}

// ServerChanged carries what is now known of the servers.
type ServerChanged struct{ Servers Servers }

// DataFile reports whether the data file is still where it was opened.
type DataFile struct {
	Fault error // a storage.GoneError, nil while all is well
}

// SettingsChanged names settings of the config file that are others now, and were not changed
// on a screen.
type SettingsChanged struct{ Names []string }

// PullProgressed tells how far the download of a model has come, in bytes.
type PullProgressed struct {
	Model, Status string
	Done, Total   int64
	Finished      bool
	Err           error
}

// Join implements Joining: of the progress of an operation the newest counts.
func (p OperationProgress) Join(before event.Event) (event.Event, bool) {
	last, ok := before.(OperationProgress)
	return p, ok && last.ID == p.ID
}

// Join implements Joining: of the progress of a download the newest counts.
func (p PullProgressed) Join(before event.Event) (event.Event, bool) {
	last, ok := before.(PullProgressed)
	return p, ok && last.Model == p.Model && !last.Finished
}
