package queue

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What a quick job reports can come before the news that it runs; the follower
// hears the two in their order all the same, and nothing of an attempt that is
// over.
func TestNews_Order(t *testing.T) {
	t.Parallel()
	const id = "op"
	state := func(status storage.OperationStatus, attempts int) storage.Operation {
		return storage.Operation{ID: id, Status: status, Attempts: attempts}
	}
	running := func() bool { return false }
	tests := []struct {
		name string
		does func(n *notifier, round func() bool)
		want []string
	}{
		{"the report comes first", func(n *notifier, round func() bool) {
			n.tell(state(storage.InProgress, 1), Progress{Step: 1}, running)
			round()
			n.change(state(storage.Pending, 0))
			round()
			n.change(state(storage.InProgress, 1))
			round()
		}, []string{"pending 0", "in_progress 1", "step 1"}},
		{"a newer report replaces the one that waits", func(n *notifier, round func() bool) {
			n.tell(state(storage.InProgress, 1), Progress{Step: 1}, running)
			round()
			n.tell(state(storage.InProgress, 1), Progress{Step: 2}, running)
			n.change(state(storage.InProgress, 1))
			round()
		}, []string{"in_progress 1", "step 2"}},
		{"told twice that it runs", func(n *notifier, round func() bool) {
			n.change(state(storage.InProgress, 1))
			n.tell(state(storage.InProgress, 1), Progress{Step: 1}, running)
			n.change(state(storage.InProgress, 1))
			round()
		}, []string{"in_progress 1", "step 1"}},
		{"ended before anybody heard", func(n *notifier, round func() bool) {
			n.tell(state(storage.InProgress, 1), Progress{Step: 1}, running)
			n.change(state(storage.Completed, 1))
			round()
		}, []string{"completed 1"}},
		{"the next attempt", func(n *notifier, round func() bool) {
			n.change(state(storage.InProgress, 1))
			n.tell(state(storage.InProgress, 1), Progress{Step: 1}, running)
			round()
			n.tell(state(storage.InProgress, 2), Progress{Step: 7}, running)
			round()
			n.change(state(storage.Pending, 1))
			round()
			n.change(state(storage.InProgress, 2))
			round()
		}, []string{"in_progress 1", "step 1", "pending 1", "in_progress 2", "step 7"}},
		{"put back before anybody heard", func(n *notifier, round func() bool) {
			n.tell(state(storage.InProgress, 1), Progress{Step: 1}, running)
			n.change(state(storage.Pending, 1))
			round()
			n.change(state(storage.InProgress, 2))
			round()
		}, []string{"pending 1", "in_progress 2"}},
		{"it is over", func(n *notifier, round func() bool) {
			n.change(state(storage.InProgress, 1))
			n.tell(state(storage.InProgress, 1), Progress{Step: 1}, func() bool { return true })
			round()
		}, []string{"in_progress 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var heard []string
			n := newNotifier(func(op storage.Operation) { heard = append(heard, fmt.Sprint(op.Status, " ", op.Attempts)) },
				func(_ storage.OperationID, p Progress) { heard = append(heard, fmt.Sprint("step ", p.Step)) })
			tt.does(n, n.round)
			if !slices.Equal(heard, tt.want) {
				t.Errorf("heard %q, want %q", heard, tt.want)
			}
			n.round()
			if len(n.progress.values) != 0 {
				t.Errorf("kept %v", n.progress.values)
			}
		})
	}
}
