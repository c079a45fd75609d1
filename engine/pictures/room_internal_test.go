package pictures

import (
	"errors"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
)

// The shortest queue counts, whoever made it so; pictures that are on their way to
// a server count there already.
func TestRoom_TakesTheShortestQueue(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for _, tt := range []struct {
		jobs, ours []int
		faults     []error
		want       int
	}{
		{[]int{0, 0}, []int{0, 0}, []error{nil, nil}, 0},
		{[]int{1, 0}, []int{0, 0}, []error{nil, nil}, 1},
		{[]int{0, 0}, []int{1, 0}, []error{nil, nil}, 1},
		{[]int{1, 20}, []int{1, 0}, []error{nil, nil}, 0}, // others have filled the second one
		{[]int{2, 2}, []int{1, 0}, []error{nil, nil}, 1},
		{[]int{3, 1, 2}, []int{0, 1, 0}, []error{nil, nil, nil}, 1},
		{[]int{0, 3}, []int{0, 0}, []error{away, nil}, 1},
		{[]int{0, 0}, []int{0, 0}, []error{away, away}, -1},
	} {
		var r gpuMemory
		r.add("c")
		var list []*comfy.Client
		for _, n := range tt.ours {
			c := &comfy.Client{}
			list, r.perServer[c] = append(list, c), n
		}
		got := r.assign(list, tt.jobs, tt.faults)
		if got != tt.want {
			t.Errorf("%v with %v of ours: the one at %d, want %d", tt.jobs, tt.ours, got, tt.want)
		}
		if got >= 0 && r.perServer[list[got]] != max(tt.ours[got], 0)+1 {
			t.Errorf("%v: it is not counted there", tt.jobs)
		}
	}
}
