package queue

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stubborn registers a job that ignores its context until it is let go.
func stubborn(s *harness) (let chan struct{}) {
	let = make(chan struct{})
	s.does("stubborn", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
		<-let
		return mark(op.ID), nil
	})
	return let
}

func TestCancel(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		running, pending, done := s.add("wait", "x"), s.add("work", "x"), s.add("work", "y")
		s.want(running, storage.InProgress, 1)
		s.want(done, storage.Completed, 1)
		s.must(s.Cancel(pending))
		s.must(s.Cancel(running))
		if op := s.get(running); op.Status != storage.Cancelled || op.CompletedAt.IsZero() {
			t.Errorf("not cancelled when Cancel returned: %+v", op)
		}
		if op := s.want(running, storage.Cancelled, 1); op.Error != "" {
			t.Errorf("error %q", op.Error)
		}
		s.want(pending, storage.Cancelled, 0)
		if err := s.Cancel(done); !errors.Is(err, ErrFinished) {
			t.Errorf("cancel of a finished one: %v", err)
		}
		if err := s.Cancel("01JZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("cancel of none: %v", err)
		}
		if err := s.Retry("01JZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("retry of none: %v", err)
		}
		s.must(s.Retry(running))
		s.want(running, storage.InProgress, 1)
		if err := s.Retry(running); !errors.Is(err, ErrRunning) {
			t.Errorf("retry of a running one: %v", err)
		}
		s.add("work", "x")
		n, err := s.CancelAll()
		s.must(err)
		if n != 2 {
			t.Errorf("cancelled %d", n)
		}
		s.want(running, storage.Cancelled, 1)
		s.want(s.add("work", "x"), storage.Completed, 1)
	})
}

func TestCancelBeatsTheEffect(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		let := stubborn(s)
		id := s.add("stubborn", "x")
		s.want(id, storage.InProgress, 1)
		s.must(s.Cancel(id))
		s.must(s.Retry(id)) // before the old job has stopped
		s.want(id, storage.Pending, 0)
		close(let)
		s.want(id, storage.Completed, 1)
		if s.marks(id) != 1 {
			t.Errorf("the effect was applied %d times", s.marks(id))
		}
	})
}

func TestPreempt(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		var cause error
		s.does("cut", func(ctx context.Context, _ storage.Operation, _ func(Progress)) (Effect, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return mark("half"), nil // what a stream that was cut off may look like
		})
		a, b, other := s.add("cut", "x"), s.add("work", "x"), s.add("wait", "y")
		s.want(a, storage.InProgress, 1)
		first := s.Preempt("x")
		if !errors.Is(cause, ErrPreempted) {
			t.Errorf("cause %v", cause)
		}
		second := s.Preempt("x")
		s.want(a, storage.Pending, 0)
		s.want(other, storage.InProgress, 1)
		first()
		first()
		s.want(b, storage.Pending, 0)
		second()
		s.want(a, storage.InProgress, 1)
		if s.marks("half") != 0 {
			t.Error("the effect of a job that was stopped was applied")
		}
		if s.get(a).Error != "" || len(s.held) != 0 {
			t.Errorf("left behind: %q, %v", s.get(a).Error, s.held)
		}
		s.Preempt("nobody uses this")()
	})
}

func TestPreemptAtTheMomentOfStarting(t *testing.T) {
	// Wherever the start of the operation is caught, the lane is clear when
	// Preempt returns and the operation runs in the end.
	for i := range 20 {
		play(t, Options{}, func(s *harness) {
			on := 0
			s.does("brief", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
				on++
				runtime.Gosched()
				on--
				return mark(op.ID), nil
			})
			id := s.add("brief", "x")
			for range i {
				runtime.Gosched()
			}
			release := s.Preempt("x")
			if on != 0 {
				t.Error("the job runs beside the user's turn")
			}
			release()
			s.want(id, storage.Completed, 1)
		})
	}
}

func TestHoldWaits(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		let := stubborn(s)
		id := s.add("stubborn", "x")
		s.want(id, storage.InProgress, 1)
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
		defer cancel()
		if _, err := s.Hold(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("hold: %v", err)
		}
		time.AfterFunc(time.Minute, func() { close(let) })
		release, err := s.Hold(s.t.Context(), "x")
		s.must(err)
		next := s.add("work", "x")
		s.want(id, storage.Completed, 1)
		s.want(next, storage.Pending, 0)
		release()
		s.want(next, storage.Completed, 1)
	})
}

func TestStubbornJobIsGivenUp(t *testing.T) {
	play(t, Options{Grace: 2 * time.Second}, func(s *harness) {
		let := stubborn(s)
		defer close(let)
		id := s.add("stubborn", "x")
		next := s.add("work", "x")
		s.want(id, storage.InProgress, 1)
		began := time.Now()
		release := s.Preempt("x")
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("preempt took %s", took)
		}
		s.want(id, storage.Pending, 0)
		s.must(s.Cancel(id))
		release()
		s.want(next, storage.Completed, 1) // the lane goes on
		if !strings.Contains(s.log.String(), "given up") {
			t.Errorf("log:\n%s", s.log)
		}
	})
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), Options{Grace: time.Second})
		let := stubborn(s)
		s.must(s.Start(s.t.Context()))
		if err := s.Start(s.t.Context()); !errors.Is(err, ErrStarted) {
			t.Errorf("second start: %v", err)
		}
		polite, rude := s.add("wait", "x"), s.add("stubborn", "y")
		s.want(polite, storage.InProgress, 1)
		s.want(rude, storage.InProgress, 1)
		began := time.Now()
		s.Stop()
		if took := time.Since(began); took != time.Second {
			t.Errorf("stop took %s", took)
		}
		s.want(polite, storage.Pending, 0)
		s.want(rude, storage.Pending, 0)
		close(let) // what it returns now is nobody's business
		s.want(rude, storage.Pending, 0)
		if s.marks(rude) != 0 {
			t.Error("an effect after Stop")
		}
		s.Stop()
		s.must(s.Start(s.t.Context()))
		s.want(rude, storage.Completed, 1)
		s.want(polite, storage.InProgress, 1)
		s.Stop()
	})
}

func TestEndOfContextStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), Options{})
		ctx, cancel := context.WithCancel(s.t.Context())
		s.must(s.Start(ctx))
		id := s.add("wait", "x")
		s.want(id, storage.InProgress, 1)
		cancel()
		s.want(id, storage.Pending, 0)
	})
}

func TestBlockedFollowerHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), Options{})
		s.gate = make(chan struct{})
		s.must(s.Start(s.t.Context()))
		for range 5 {
			s.want(s.add("work", "x"), storage.Completed, 1)
		}
		s.Stop()
		close(s.gate)
		synctest.Wait()
		if n := len(s.changes); n < 5 || s.changes[n-1].Status != storage.Completed {
			t.Errorf("%d changes", n)
		}
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), Options{})
		tries := 0
		s.does("flaky", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
			if tries++; tries < 3 {
				return Effect{}, errPassing
			}
			return mark(op.ID), nil
		})
		bad := s.add("fail", "x")
		s.add("work", "x", bad)
		flaky := s.add("flaky", "y")
		s.add("work", "x", flaky)
		sum, err := s.Drain(s.t.Context())
		if sum != (Summary{Done: 2, Failed: 1, Blocked: 1}) {
			t.Errorf("summary %+v", sum)
		}
		if !errors.Is(err, ErrFailed) || !errors.Is(err, errWrong) {
			t.Errorf("error %v", err)
		}
		s.want(flaky, storage.Completed, 3)
		sum, err = s.Drain(s.t.Context())
		if sum != (Summary{Blocked: 1}) || err != nil {
			t.Errorf("again: %+v, %v", sum, err)
		}
		s.Pause()
		s.add("work", "z")
		if sum, err := s.Drain(s.t.Context()); sum != (Summary{Blocked: 1}) || err != nil {
			t.Errorf("paused: %+v, %v", sum, err)
		}
		s.Resume()
		hung := s.add("wait", "w")
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
		defer cancel()
		if sum, err := s.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) || sum.Done != 1 {
			t.Errorf("interrupted: %+v, %v", sum, err)
		}
		s.want(hung, storage.Pending, 0)
	})
}

func TestDrainOfAStoreThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t, filepath.Join(t.TempDir(), "test.db"))
		s := newHarness(t, store, Options{})
		s.add("work", "x")
		s.must(store.Close())
		if _, err := s.Drain(s.t.Context()); !errors.Is(err, storage.ErrClosed) {
			t.Errorf("drain: %v", err)
		}
	})
}

func TestStoreThatRefusesIsNotPressed(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		s.Pause()
		s.add("work", "x")
		synctest.Wait()
		s.must(s.store.Close())
		s.Resume()
		for _, want := range []int{1, 2, 3} {
			synctest.Wait()
			if got := strings.Count(s.log.String(), "start an operation"); got != want {
				t.Fatalf("tried %d times, want %d", got, want)
			}
			time.Sleep(troubleDelay)
		}
	})
}

// A step that comes too late finds the operation in another state.
func TestLateStepsChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), Options{})
		id := s.add("work", "x")
		r := newRun(t.Context(), s.get(id))
		op, err := s.begin(r)
		s.must(err)
		if _, err := s.begin(r); !errors.Is(err, errStale) {
			t.Errorf("begin of what runs: %v", err)
		}
		s.must(s.Cancel(id))
		late := map[string]func(){
			"commit":   func() { s.commit(op, mark(id)) },
			"fail":     func() { s.fail(op, errPassing) },
			"discard":  func() { s.discard(op, ErrDiscard) },
			"put back": func() { s.requeueRun(op, ErrPreempted) },
		}
		for name, f := range late {
			f()
			if got := s.get(id); got.Status != storage.Cancelled || got.Error != "" || s.marks(id) != 0 {
				t.Errorf("late %s: %+v", name, got)
			}
		}
		if len(s.stranded) != 0 {
			t.Error("lateness is no fault of the store")
		}
		s.must(s.Retry(id))
		r.cancel(ErrPreempted)
		if _, err := s.begin(r); !errors.Is(err, errStale) || s.get(id).Status != storage.Pending {
			t.Errorf("begin of a run that was told to stop: %v", err)
		}
	})
}

func TestEndThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		store := openStore(t, path)
		s := newHarness(t, store, Options{})
		let := stubborn(s)
		s.must(s.Start(s.t.Context()))
		id := s.add("stubborn", "x")
		s.want(id, storage.InProgress, 1)
		s.must(store.Close())
		close(let)
		synctest.Wait()
		if !s.stranded[id] {
			t.Error("not stranded")
		}
		s.Stop()
		s = newHarness(t, openStore(t, path), Options{})
		stubborn(s)
		s.does("stubborn", s.kinds["work"].Run)
		s.must(s.Start(s.t.Context()))
		s.want(id, storage.Completed, 2)
		if s.marks(id) != 1 {
			t.Errorf("applied %d times", s.marks(id))
		}
		s.Stop()
	})
}
