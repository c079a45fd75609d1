package settings

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The pane says when what was put off begins.
func TestQueue_PutOff(t *testing.T) {
	t.Parallel()
	at := time.Now().Add(time.Minute)
	op := storage.Operation{ID: "a", Type: "taste_harvest", Status: storage.Pending, NotBefore: at}
	clock := at.Local().Format("15:04:05")
	if words := queued(op); words != "starts at "+clock {
		t.Error(words)
	}
	op.Attempts, op.Error = 1, "away"
	if words := queued(op); words != "retries at "+clock+": away" {
		t.Error(words)
	}
	op.Attempts, op.NotBefore, op.Error = 0, at.Add(-time.Hour), ""
	if words := queued(op); words != "pending" {
		t.Error(words)
	}
}
