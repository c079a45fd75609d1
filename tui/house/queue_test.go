package house

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

// The chosen operation stays chosen in what is read anew.
func TestQueue_ChosenStays(t *testing.T) {
	t.Parallel()
	p := newQueue(nil, nil)
	p.take([]storage.Operation{{ID: "c"}, {ID: "b"}, {ID: "a"}}, nil)
	p.N, p.At = 3, 1
	p.take([]storage.Operation{{ID: "d"}, {ID: "c"}, {ID: "b"}, {ID: "a"}}, nil)
	if p.ops[p.At].ID != "b" {
		t.Errorf("chosen: %s", p.ops[p.At].ID)
	}
}
