package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

var (
	errPassing = errors.New("connection refused")
	errWrong   = errors.New("wrong form")
)

// harness is a queue over a real store, with jobs that tests are made of.
type harness struct {
	*Queue
	t     *testing.T
	store *storage.Store
	log   *logbook

	gate    chan struct{} // OnChange waits for it, unless nil
	mu      sync.Mutex
	changes []storage.Operation
}

// logbook is a log that may be read while it is written.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// play runs f on a started harness, inside a bubble with a clock of its own.
func play(t *testing.T, o Options, f func(s *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), o)
		if err := s.Start(s.t.Context()); err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		f(s)
	})
}

func openStore(t *testing.T, path string) *storage.Store {
	t.Helper()
	store, err := storage.Open(path, storage.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func newHarness(t *testing.T, store *storage.Store, o Options) *harness {
	s := &harness{t: t, store: store, log: &logbook{}}
	o.IsTemporary = func(err error) bool { return errors.Is(err, errPassing) }
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(s.log, nil))
	}
	o.OnChange = func(op storage.Operation) {
		if s.gate != nil {
			<-s.gate
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changes = append(s.changes, op)
	}
	s.Queue = New(store, o)
	s.does("work", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
		return mark(op.ID), nil
	})
	s.does("wait", func(ctx context.Context, _ storage.Operation, _ func(Progress)) (Effect, error) {
		<-ctx.Done()
		return Effect{}, ctx.Err()
	})
	s.does("fail", func(context.Context, storage.Operation, func(Progress)) (Effect, error) {
		return Effect{}, errWrong
	})
	return s
}

// does registers who does operations of a kind.
func (s *harness) does(name string, run Handler) { s.Register(Kind{Type: name, Run: run}) }

// mark is an effect that counts how often it was applied.
func mark(id storage.OperationID) Effect {
	return Effect{Result: map[string]string{"by": string(id)}, Apply: func(tx *storage.Tx) error {
		n := 0
		if _, err := tx.Setting("mark."+string(id), &n); err != nil {
			return err
		}
		return tx.PutSetting("mark."+string(id), n+1)
	}}
}

func (s *harness) marks(id storage.OperationID) (n int) {
	s.t.Helper()
	if err := s.store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting("mark."+string(id), &n)
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *harness) add(typ, lane string, deps ...storage.OperationID) storage.OperationID {
	s.t.Helper()
	op := storage.Operation{Type: typ, Lane: lane, Dependencies: deps}
	if err := s.Enqueue(&op); err != nil {
		s.t.Fatal(err)
	}
	return op.ID
}

func (s *harness) get(id storage.OperationID) (op storage.Operation) {
	s.t.Helper()
	if err := s.store.View(func(tx *storage.Tx) (err error) {
		op, err = storage.Operations.Get(tx, id)
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
	return op
}

// want waits until nothing moves and compares the operation's state.
func (s *harness) want(id storage.OperationID, status storage.OperationStatus, attempts int) storage.Operation {
	s.t.Helper()
	synctest.Wait()
	op := s.get(id)
	if op.Status != status || op.Attempts != attempts {
		s.t.Fatalf("%s %s is %s after %d attempts (%q), want %s after %d\n%s", op.Type, id, op.Status, op.Attempts, op.Error, status, attempts, s.log)
	}
	return op
}

func (s *harness) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestCompletesWithItsEffect(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		id := s.add("work", "x")
		op := s.want(id, storage.Completed, 1)
		if s.marks(id) != 1 {
			t.Errorf("the effect was applied %d times", s.marks(id))
		}
		if op.Priority != DefaultPriority || op.CompletedAt.IsZero() || op.StartedAt.IsZero() || op.Error != "" {
			t.Errorf("stored as %+v", op)
		}
		if want := fmt.Sprintf(`{"by":%q}`, id); string(op.Result) != want {
			t.Errorf("result %s, want %s", op.Result, want)
		}
		if n := len(s.changes); n == 0 || s.changes[n-1].Status != storage.Completed {
			t.Errorf("changes %+v", s.changes)
		}
	})
}

func TestOrderAndLanes(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		var mu sync.Mutex
		var order []string
		on := map[string]int{}
		s.does("noted", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
			mu.Lock()
			order = append(order, string(op.Params))
			on[op.Lane]++
			if on[op.Lane] > 1 {
				t.Errorf("two at once on %s", op.Lane)
			}
			mu.Unlock()
			time.Sleep(time.Second) // the bubble's clock
			mu.Lock()
			on[op.Lane]--
			mu.Unlock()
			return Effect{}, nil
		})
		s.Pause()
		if !s.Paused() {
			t.Error("not paused")
		}
		s.must(s.store.Update(func(tx *storage.Tx) error {
			for i, p := range []int{5, 20, 0, 20, 7} {
				op := storage.Operation{Type: "noted", Lane: "x", Priority: p, Params: json.RawMessage(fmt.Sprint(i))}
				if err := s.Add(tx, &op); err != nil {
					return err
				}
			}
			return s.Add(tx, &storage.Operation{Type: "noted", Lane: "y", Params: json.RawMessage("9")})
		}))
		s.Wake()
		synctest.Wait()
		if len(order) != 0 {
			t.Fatalf("%v started while paused", order)
		}
		began := time.Now()
		s.Resume()
		sum, err := s.Drain(s.t.Context())
		s.must(err)
		order = slices.DeleteFunc(order, func(s string) bool { return s == "9" })
		if got := strings.Join(order, ""); got != "13240" {
			t.Errorf("ran in the order %s", got)
		}
		if sum != (Summary{Done: 6}) {
			t.Errorf("summary %+v", sum)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("took %s: lanes do not run side by side", took)
		}
	})
}

func TestRetriesPassingFaultsOnly(t *testing.T) {
	play(t, Options{ErrorText: func(error) string { return "in plain words" }}, func(s *harness) {
		s.does("flaky", func(context.Context, storage.Operation, func(Progress)) (Effect, error) {
			return Effect{}, fmt.Errorf("chat: %w", errPassing)
		})
		flaky, wrong := s.add("flaky", "x"), s.add("fail", "y")
		s.want(wrong, storage.Failed, 1)
		began := time.Now()
		op := s.want(flaky, storage.Pending, 1)
		if wait := op.NotBefore.Sub(op.StartedAt); wait != time.Second {
			t.Errorf("waits %s after the first attempt", wait)
		}
		other := s.add("work", "x")
		s.want(other, storage.Completed, 1) // the lane is free meanwhile
		time.Sleep(time.Second)
		s.want(flaky, storage.Pending, 2)
		time.Sleep(4*time.Second - time.Nanosecond)
		s.want(flaky, storage.Pending, 2)
		time.Sleep(time.Nanosecond)
		op = s.want(flaky, storage.Failed, 3)
		if took := op.CompletedAt.Sub(began); took != 5*time.Second {
			t.Errorf("failed for good after %s", took)
		}
		if op.Error != "in plain words" || !strings.Contains(s.log.String(), "chat: connection refused") {
			t.Errorf("error %q, log:\n%s", op.Error, s.log)
		}
		n, err := s.RetryFailed()
		s.must(err)
		if n != 2 {
			t.Errorf("retried %d", n)
		}
		s.want(flaky, storage.Pending, 1)
		s.must(s.Retry(flaky)) // tried at once, from the first attempt on
		if op := s.want(flaky, storage.Pending, 1); time.Until(op.NotBefore) != time.Second {
			t.Errorf("due at %s", op.NotBefore)
		}
	})
}

func TestTimeoutIsAFailedCall(t *testing.T) {
	limit := func() time.Duration { return time.Minute }
	play(t, Options{Timeout: limit, MaxAttempts: 2}, func(s *harness) {
		s.Register(Kind{Type: "endless", NoTimeout: true, Run: s.kinds["wait"].Run})
		id, slow := s.add("wait", "x"), s.add("endless", "slow")
		s.want(id, storage.InProgress, 1)
		time.Sleep(time.Minute)
		s.want(id, storage.Pending, 1)
		time.Sleep(time.Second + time.Minute)
		op := s.want(id, storage.Failed, 2)
		if !strings.Contains(op.Error, "took too long") {
			t.Errorf("error %q", op.Error)
		}
		s.want(slow, storage.InProgress, 1)
	})
}

func TestDependencies(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		fails := true
		s.does("once", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
			if fails {
				return Effect{}, errWrong
			}
			return mark(op.ID), nil
		})
		first := s.add("once", "x")
		second := s.add("work", "y", first)
		third := s.add("work", "z", second, first)
		s.want(first, storage.Failed, 1)
		s.want(third, storage.Pending, 0)
		blocked, err := s.Blocked()
		s.must(err)
		for _, id := range (ids{second, third}) {
			if b := blocked[id]; b.Obstacle != DependencyFailed || b.By != first {
				t.Errorf("%s is blocked by %+v", id, b)
			}
		}
		fails = false
		s.must(s.Retry(first))
		s.want(third, storage.Completed, 1)
		s.want(second, storage.Completed, 1)
		if err := s.Retry(third); !errors.Is(err, ErrFinished) {
			t.Errorf("retry of a completed one: %v", err)
		}
		cancelled := s.add("wait", "x")
		last := s.add("work", "x", cancelled)
		s.must(s.Cancel(cancelled))
		s.want(last, storage.Pending, 0)
		if blocked, _ := s.Blocked(); blocked[last].Obstacle != DependencyCancelled {
			t.Errorf("blocked %+v", blocked)
		}
	})
}

func TestAddRefuses(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		later := storage.OperationID(storage.NewID())
		first := s.add("work", "x", later)
		huge := json.RawMessage(`"` + strings.Repeat("x", maxText) + `"`)
		tests := []struct {
			name string
			op   storage.Operation
			want error
		}{
			{"cycle", storage.Operation{ID: later, Type: "work", Dependencies: ids{first}}, ErrCycle},
			{"itself", storage.Operation{ID: later, Type: "work", Dependencies: ids{later}}, ErrCycle},
			{"exists", storage.Operation{ID: first, Type: "work"}, ErrExists},
			{"too large", storage.Operation{Type: "work", Params: huge}, ErrTooLarge},
			{"many", storage.Operation{Type: "work", Dependencies: make(ids, maxDependencies+1)}, ErrTooLarge},
			{"bad id", storage.Operation{ID: "../x", Type: "work"}, storage.ErrBadID},
		}
		for _, tt := range tests {
			if err := s.Enqueue(&tt.op); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
		if err := s.Enqueue(&storage.Operation{Lane: "x"}); err == nil {
			t.Error("an operation without a type was taken")
		}
		s.want(first, storage.Pending, 0)
		s.must(s.Enqueue(&storage.Operation{ID: later, Type: "work", Dependencies: ids{}}))
		s.want(first, storage.Completed, 1) // the missing one has come
	})
}

func TestAddIsTheCallersTransaction(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		var undone storage.Operation
		undo := errors.New("undo")
		err := s.store.Update(func(tx *storage.Tx) error {
			undone = storage.Operation{Type: "work", Lane: "x"}
			s.must(s.Add(tx, &undone))
			s.Wake() // too early: it must not lose the operation, nor start it
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
		kept := storage.Operation{Type: "work", Lane: "x"}
		s.must(s.store.Update(func(tx *storage.Tx) error {
			if err := s.Add(tx, &kept); err != nil {
				return err
			}
			s.Wake()
			return nil
		}))
		s.Wake()
		s.want(kept.ID, storage.Completed, 1)
		if ops, err := s.List(); err != nil || len(ops) != 1 {
			t.Errorf("%+v, %v", ops, err)
		}
		s.want(s.add("work", "x"), storage.Completed, 1)
		if left := s.staged.unseen(); len(left) != 0 {
			t.Errorf("%v is still waited for", left)
		}
	})
}
