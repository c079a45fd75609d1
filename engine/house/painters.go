package house

import (
	"context"
	"sync"
	"time"

	"ghostlight/engine/comfy"
	"ghostlight/engine/crash"
)

const (
	// serverPatience bounds how long one of several servers may take to say how
	// much it has to do, lonelyPatience how long the only one.
	serverPatience = 5 * time.Second
	lonelyPatience = 20 * time.Second
)

// AskQueues asks servers how many jobs they have.
func AskQueues(ctx context.Context, list []*comfy.Client) (jobs []int, faults []error) {
	jobs, faults = make([]int, len(list)), make([]error, len(list))
	patience := serverPatience
	if len(list) == 1 {
		patience = lonelyPatience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var all sync.WaitGroup
	for i, c := range list {
		all.Add(1)
		crash.Go("asking ComfyUI", func() {
			defer all.Done()
			running, pending, err := c.Queue(ctx)
			jobs[i], faults[i] = running+pending, err
		})
	}
	all.Wait()
	return jobs, faults
}
