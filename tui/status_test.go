package tui

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The same attempt told of again keeps its progress; the next one begins anew.
func TestWork_ToldAgain(t *testing.T) {
	t.Parallel()
	var w runningWork
	op := storage.Operation{ID: "a", Type: "generate_scene_recap", Status: storage.InProgress, Attempts: 1, StartedAt: time.Now()}
	w.update(op)
	w.running["a"].Progress.Tokens = 7
	w.update(op)
	if n := w.running["a"].Progress.Tokens; n != 7 {
		t.Errorf("%d tokens", n)
	}
	op.Attempts, op.StartedAt = 2, op.StartedAt.Add(time.Second)
	w.update(op)
	if n := w.running["a"].Progress.Tokens; n != 0 {
		t.Errorf("the next attempt has %d tokens", n)
	}
}

// What was put off is no work that waits.
func TestQueue_PutOff(t *testing.T) {
	t.Parallel()
	var w runningWork
	at := time.Now().Add(time.Minute)
	op := storage.Operation{ID: "a", Type: "taste_harvest", Status: storage.Pending, NotBefore: at}
	w.update(op)
	if n := w.waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
	op.Attempts, op.Error = 1, "away"
	w.update(op)
	if n := w.waiting(); n != 1 {
		t.Errorf("%d wait", n)
	}
	op.Attempts, op.NotBefore, op.Error = 0, at.Add(-time.Hour), ""
	w.update(op)
	if n := w.waiting(); n != 1 {
		t.Errorf("%d wait", n)
	}
}
