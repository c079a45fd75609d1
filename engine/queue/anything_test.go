package queue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Whatever happens in whatever order: no operation is lost, and an effect is in
// the store once exactly when its operation is completed.
func TestAnythingInAnyOrder(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { anything(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func anything(t *testing.T, r *rand.Rand) {
	s := newHarness(t, openStore(t, filepath.Join(t.TempDir(), "test.db")), Options{
		Grace: time.Second, Timeout: func() time.Duration { return 10 * time.Second },
	})
	s.does("random", func(ctx context.Context, op storage.Operation, report func(Progress)) (Effect, error) {
		n := int(op.ID[len(op.ID)-1]) + op.Attempts
		report(Progress{Step: n})
		if n%7 != 0 {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(n%5) * time.Second):
			}
		} else {
			time.Sleep(time.Duration(n%15) * time.Second) // deaf
		}
		switch n % 5 {
		case 0:
			return Effect{}, errPassing
		case 1:
			return Effect{}, errWrong
		}
		return mark(op.ID), nil
	})
	lanes := []string{"x", "y", "z"}
	var all ids
	some := func() storage.OperationID {
		if len(all) == 0 {
			return storage.OperationID(storage.NewID())
		}
		return all[r.IntN(len(all))]
	}
	s.must(s.Start(s.t.Context()))
	for range 120 {
		switch r.IntN(12) {
		case 0, 1, 2, 3:
			deps := ids{}
			if r.IntN(3) == 0 && len(all) > 0 {
				deps = ids{some()}
			}
			all = append(all, s.add("random", lanes[r.IntN(3)], deps...))
		case 4:
			_ = s.Cancel(some()) // may be finished
		case 5:
			_ = s.Retry(some())
		case 6:
			release := s.Preempt(lanes[r.IntN(3)])
			time.AfterFunc(time.Duration(r.IntN(4))*time.Second, release)
		case 7:
			s.Pause()
			time.AfterFunc(time.Duration(r.IntN(4))*time.Second, s.Resume)
		case 8:
			if r.IntN(4) == 0 {
				s.Stop()
				s.must(s.Start(s.t.Context()))
			}
		default:
			time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
		}
	}
	s.Resume()
	time.Sleep(10 * time.Second) // releases and resumes that are under way
	_, err := s.Drain(s.t.Context())
	if err != nil && !errors.Is(err, ErrFailed) {
		t.Fatal(err)
	}
	s.Stop()
	blocked, err := s.Blocked()
	s.must(err)
	for _, id := range all {
		op := s.get(id)
		want := 0
		if op.Status == storage.Completed {
			want = 1
		}
		if got := s.marks(id); got != want {
			t.Errorf("%s is %s and its effect was applied %d times", id, op.Status, got)
		}
		if _, is := blocked[id]; op.Status == storage.InProgress || (op.Status == storage.Pending) != is {
			t.Errorf("%s is %s at the end, blocked: %v", id, op.Status, is)
		}
	}
	time.Sleep(time.Minute) // deaf jobs return
}
