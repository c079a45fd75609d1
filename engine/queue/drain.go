package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Summary is the result of a Drain.
type Summary struct {
	Done    int // completed, those whose result was discarded included
	Failed  int // failed permanently
	Blocked int // still pending, and staying so without somebody's help
}

// drainCall is one waiting call of Drain.
type drainCall struct {
	sum   Summary
	first error // of the failures
	armed bool  // a pass began after Drain was called, so it may find nothing to do
	ended chan error
}

func (d *drainCall) finish(err error) {
	select {
	case d.ended <- err:
	default:
	}
}

// tally counts a finished operation for the waiting calls of Drain.
func (q *Queue) tally(op storage.Operation, cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for d := range q.drains {
		switch {
		case op.Status == storage.Completed:
			d.sum.Done++
		case d.first == nil:
			d.sum.Failed++
			d.first = fmt.Errorf("%s: %s: %w", op.Type, op.Error, cause)
		default:
			d.sum.Failed++
		}
	}
}

// Drain works until nothing can run any more, including retries that are due later; postponed
// operations run immediately. It starts the queue for that time unless it is started. While the
// queue is paused, nothing can run. The error is ErrFailed with the first cause if an operation
// failed, ctx's error if ctx ended first, or the store's.
func (q *Queue) Drain(ctx context.Context) (Summary, error) {
	d := &drainCall{ended: make(chan error, 1)}
	q.mu.Lock()
	q.drains[d] = true
	q.mu.Unlock()
	err := q.Start(ctx)
	own := err == nil
	if err == nil || errors.Is(err, ErrStarted) {
		q.Wake()
		select {
		case err = <-d.ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if own {
		q.Stop()
	}
	q.mu.Lock()
	delete(q.drains, d)
	sum, first := d.sum, d.first
	q.mu.Unlock()
	if blocked, berr := q.Blocked(); berr == nil {
		sum.Blocked = len(blocked)
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && sum.Failed > 0:
		err = fmt.Errorf("%d of %d operations %w: %w", sum.Failed, sum.Failed+sum.Done, ErrFailed, first)
	}
	if err != nil {
		return sum, fmt.Errorf("work off the queue: %w", err)
	}
	return sum, nil
}
