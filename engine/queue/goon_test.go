package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// An operation that goes on keeps its id and what was done of it, and what waits for it
// waits on.
func TestGoesOnWithWhatIsDone(t *testing.T) {
	play(t, Options{}, func(s *harness) {
		var saw []string
		s.does("steps", func(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
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
		s.does("after", func(context.Context, storage.Operation, func(Progress)) (Effect, error) {
			saw = append(saw, "after")
			return Effect{}, nil
		})
		s.o.IsTemporary = func(error) bool { return true }
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
