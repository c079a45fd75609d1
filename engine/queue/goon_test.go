package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// An operation that goes on keeps its id and what was done of it, and what waits for it
// waits on.
func TestGoesOnWithWhatIsDone(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		var saw []string
		s.Register("steps", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
			var p struct{ Done int }
			_ = json.Unmarshal(op.Params, &p)
			saw = append(saw, fmt.Sprintf("%d at attempt %d", p.Done, op.Attempts))
			if len(saw) == 2 {
				return Effect{}, errPassing
			}
			if p.Done++; p.Done < 3 {
				return Effect{Next: p}, nil
			}
			return Effect{Result: p}, nil
		})
		s.Register("after", func(context.Context, storage.Operation, func(Progress)) (Effect, error) {
			saw = append(saw, "after")
			return Effect{}, nil
		})
		s.o.Passing = func(error) bool { return true }
		steps := storage.Operation{Type: "steps"}
		if err := s.Enqueue(&steps); err != nil {
			t.Fatal(err)
		}
		after := storage.Operation{Type: "after", Dependencies: []storage.OperationID{steps.ID}}
		if err := s.Enqueue(&after); err != nil {
			t.Fatal(err)
		}
		if sum, err := s.Drain(s.t.Context()); err != nil || sum.Done != 2 {
			t.Errorf("%+v, %v", sum, err)
		}
		synctest.Wait()
		if got := fmt.Sprint(saw); got != "[0 at attempt 1 1 at attempt 1 1 at attempt 2 2 at attempt 1 after]" {
			t.Error(got)
		}
	})
}

// A job that is told to wait begins anew after that, and has not been tried meanwhile.
func TestLater(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		var at []time.Duration
		begun := time.Now()
		s.Register("rides", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
			if at = append(at, time.Since(begun)); op.Attempts != 1 {
				t.Errorf("attempt %d", op.Attempts)
			}
			if len(at) < 3 {
				return Effect{}, fmt.Errorf("a question: %w", &Later{After: time.Minute})
			}
			return Effect{}, nil
		})
		op := storage.Operation{Type: "rides"}
		if err := s.Enqueue(&op); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if have := s.get(op.ID); !PutOff(have, time.Now()) {
			t.Errorf("%+v is not put off", have)
		}
		if at := op.Priority; !s.Waits(op.Lane, at+1, time.Hour) || s.Waits(op.Lane, at+1, time.Second) || s.Waits(op.Lane, at, time.Hour) {
			t.Error("it does not wait for its time, or too soon")
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if want := []time.Duration{0, time.Minute, 2 * time.Minute}; !slices.Equal(at, want) {
			t.Errorf("it was begun at %v, not at %v", at, want)
		}
		if have := s.get(op.ID); have.Status != storage.Completed {
			t.Errorf("it is %s", have.Status)
		}
	})
}
