package queue

import (
	"context"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestAhead(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		let := stubborn(s)
		want := func(besides storage.OperationID, running, ready int) {
			s.t.Helper()
			if gotRunning, gotReady := s.CountAhead("stubborn", besides); gotRunning != running || gotReady != ready {
				s.t.Errorf("%d run and %d are ready, want %d and %d", gotRunning, gotReady, running, ready)
			}
		}
		want("", 0, 0)
		s.does("passing", func(context.Context, storage.Operation, func(Progress)) (Effect, error) { return Effect{}, errPassing })
		s.add("passing", "z")
		a, b := s.add("stubborn", "x"), s.add("stubborn", "y")
		s.want(a, storage.InProgress, 1)
		s.want(b, storage.InProgress, 1)
		c := s.add("stubborn", "x")
		s.add("work", "x")
		later := storage.Operation{Type: "stubborn", Lane: "z", NotBefore: time.Now().Add(time.Hour)}
		s.must(s.Enqueue(&later))
		want("", 2, 1)
		want(a, 1, 1)
		want(c, 2, 0)
		s.must(s.Cancel(c))
		s.want(c, storage.Cancelled, 0)
		want(a, 1, 0)
		s.must(s.Cancel(later.ID))
		close(let)
		s.want(a, storage.Completed, 1)
		s.want(b, storage.Completed, 1)
		want("", 0, 0)
	})
	// Also what was added a moment ago counts, and while nothing runs.
	play(t, Options{}, func(s *harness) {
		s.Pause()
		stubborn(s)
		s.must(s.store.Update(func(tx *storage.Tx) error { return s.Add(tx, &storage.Operation{Type: "stubborn", Lane: "x"}) }))
		if running, ready := s.CountAhead("stubborn", ""); running != 0 || ready != 1 {
			s.t.Errorf("%d run and %d are ready", running, ready)
		}
	})
}

// What was put off waits for its time, which may be moved while it waits, and for
// none when somebody waits for all to be done.
func TestPutOff(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		began := time.Now()
		at := func(wait time.Duration) *storage.Operation {
			op := &storage.Operation{Type: "work", Lane: "x", NotBefore: began.Add(wait)}
			s.must(s.Enqueue(op))
			return op
		}
		first := at(time.Minute)
		s.want(first.ID, storage.Pending, 0)
		s.must(s.store.Update(func(tx *storage.Tx) error {
			first.NotBefore = began.Add(time.Hour)
			return storage.Operations.Put(tx, first.ID, *first)
		}))
		time.Sleep(2 * time.Minute)
		s.want(first.ID, storage.Pending, 0)
		time.Sleep(time.Hour)
		if done := s.want(first.ID, storage.Completed, 1); done.StartedAt.Sub(began) != time.Hour {
			s.t.Errorf("it began after %s", done.StartedAt.Sub(began))
		}
		began = time.Now()
		second := at(time.Hour)
		_, err := s.Drain(s.t.Context())
		s.must(err)
		if done := s.want(second.ID, storage.Completed, 1); done.StartedAt.Sub(began) > time.Second {
			s.t.Errorf("it began after %s", done.StartedAt.Sub(began))
		}
	})
}
