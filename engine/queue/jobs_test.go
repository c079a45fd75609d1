package queue

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestEffectMayAddOperations(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		next := storage.Operation{Type: "work", Lane: "x"}
		s.does("chain", func(context.Context, storage.Operation, func(Progress)) (Effect, error) {
			return Effect{Apply: func(tx *storage.Tx) error { return s.Add(tx, &next) }}, nil
		})
		s.add("chain", "x")
		sum, err := s.Drain(s.t.Context())
		s.must(err)
		if sum != (Summary{Done: 2}) {
			t.Errorf("summary %+v", sum)
		}
		s.want(next.ID, storage.Completed, 1)
	})
}

func TestApplyThatFails(t *testing.T) {
	tests := []struct {
		name   string
		apply  func() error
		status storage.OperationStatus
		log    string
	}{
		{"its target is gone", func() error { return fmt.Errorf("message: %w", ErrDiscard) }, storage.Completed, "result discarded"},
		{"another error", func() error { return errWrong }, storage.Failed, "wrong form"},
		{"a panic", func() error { panic("oh dear") }, storage.Failed, "oh dear"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			play(t, Options{}, func(s *harness) {
				s.does("odd", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
					return Effect{Result: 1, Apply: func(tx *storage.Tx) error {
						if err := mark(op.ID).Apply(tx); err != nil {
							return err
						}
						return tt.apply()
					}}, nil
				})
				id := s.add("odd", "x")
				op := s.want(id, tt.status, 1)
				if s.marks(id) != 0 || op.Result != nil {
					t.Error("half of the effect was kept")
				}
				if !strings.Contains(s.log.String(), tt.log) {
					t.Errorf("log:\n%s", s.log)
				}
				s.want(s.add("work", "x"), storage.Completed, 1)
			})
		})
	}
}

func TestJobsThatMisbehave(t *testing.T) {
	loop := map[string]any{}
	loop["loop"] = func() {}
	tests := []struct {
		name   string
		job    func() (Effect, error)
		status storage.OperationStatus
		log    string
	}{
		{"panics", func() (Effect, error) { panic("oh dear") }, storage.Failed, "jobs_test.go"},
		{"ends its goroutine", func() (Effect, error) { runtime.Goexit(); return Effect{}, nil }, storage.Failed, "goroutine"},
		{"a result that is no JSON", func() (Effect, error) { return Effect{Result: loop}, nil }, storage.Failed, "json"},
		{"a result that is huge", func() (Effect, error) { return Effect{Result: strings.Repeat("x", maxText)}, nil }, storage.Failed, "too large"},
		{"nothing left to do", func() (Effect, error) { return Effect{}, ErrDiscard }, storage.Completed, "discarded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			play(t, Options{}, func(s *harness) {
				s.does("odd", func(context.Context, storage.Operation, func(Progress)) (Effect, error) { return tt.job() })
				s.want(s.add("odd", "x"), tt.status, 1)
				if !strings.Contains(s.log.String(), tt.log) {
					t.Errorf("log:\n%s", s.log)
				}
				s.want(s.add("work", "x"), storage.Completed, 1)
			})
		})
	}
}

func TestUnknownTypeWaits(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		id := s.add("novel", "x")
		sum, err := s.Drain(s.t.Context())
		s.must(err)
		if sum != (Summary{Blocked: 1}) {
			t.Errorf("summary %+v", sum)
		}
		if blocked, err := s.Blocked(); err != nil || blocked[id].Obstacle != NoHandler {
			t.Errorf("%+v, %v", blocked, err)
		}
		s.want(id, storage.Pending, 0)
		s.does("novel", s.kinds["work"].Run)
		s.want(id, storage.Completed, 1)
	})
}

func TestTrimKeepsTheNewest(t *testing.T) {
	play(t, Options{Keep: 10}, func(s *harness) {
		needed := s.add("work", "x")
		s.want(needed, storage.Completed, 1)
		time.Sleep(time.Second)
		waiting := s.add("work", "x", needed, storage.OperationID(storage.NewID()))
		var all ids
		for range 15 {
			time.Sleep(time.Second)
			all = append(all, s.add("work", "x"))
			synctest.Wait()
		}
		ops, err := s.List()
		s.must(err)
		if len(ops) < 11 || len(ops) > 13 || ops[0].ID != waiting {
			t.Fatalf("%d operations left, the first %s", len(ops), ops[0].ID)
		}
		for i, op := range ops[1 : len(ops)-1] {
			if want := all[len(all)-1-i]; op.ID != want {
				t.Errorf("place %d is %s, want %s", i+1, op.ID, want)
			}
		}
		if last := ops[len(ops)-1]; last.ID != needed {
			t.Errorf("what is still needed was trimmed; the last is %s", last.ID)
		}
		if len(s.index.ended) != len(ops)-1 {
			t.Errorf("the index holds %d of %d", len(s.index.ended), len(ops)-1)
		}
	})
}

func TestProgress(t *testing.T) {
	var mu sync.Mutex
	var got []Progress
	var slow chan struct{}
	var first atomic.Bool
	o := Options{OnProgress: func(_ storage.OperationID, p Progress) {
		if first.CompareAndSwap(false, true) {
			<-slow
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, p)
	}}
	synctest.Test(t, func(t *testing.T) {
		slow = make(chan struct{})
		s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), o)
		s.must(s.Start(s.t.Context()))
		defer s.Stop()
		var late func(Progress)
		s.does("chatty", func(_ context.Context, _ storage.Operation, report func(Progress)) (Effect, error) {
			report(Progress{Step: 0})
			time.Sleep(time.Millisecond) // lets the follower take it
			report(Progress{Step: 1, Preview: []byte{1}})
			for i := range 1000 { // the follower sleeps, the job does not
				report(Progress{Step: i + 2, Of: 1001})
			}
			late = report
			time.Sleep(time.Second)
			return Effect{}, nil
		})
		id := s.add("chatty", "x")
		time.Sleep(10 * time.Millisecond)
		s.want(id, storage.InProgress, 1)
		close(slow)
		synctest.Wait()
		if n := len(got); n != 2 || got[1].Step != 1001 || len(got[1].Preview) != 1 {
			t.Errorf("got %+v", got)
		}
		time.Sleep(time.Second)
		s.want(id, storage.Completed, 1)
		late(Progress{Step: 5000})
		synctest.Wait()
		if len(got) != 2 {
			t.Errorf("progress after the end: %+v", got)
		}
	})
}
