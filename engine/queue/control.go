package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Cancel ends a pending or running operation. When it returns, the operation is cancelled in the
// store and the context of its job is cancelled. The error is ErrFinished if the operation had
// ended before, and wraps storage.ErrNotFound if there is none. It is for requests of the user:
// OnUserAction is called.
func (q *Queue) Cancel(id storage.OperationID) error {
	defer q.o.OnUserAction(id)
	return q.Withdraw(id)
}

// Withdraw is Cancel for the program itself: OnUserAction is not called.
func (q *Queue) Withdraw(id storage.OperationID) error {
	err := q.store.Update(func(tx *storage.Tx) error {
		op, err := storage.Operations.Get(tx, id)
		if err != nil {
			return err
		}
		if finished(op.Status) {
			return ErrFinished
		}
		return q.cancelIn(tx, op)
	})
	if err != nil {
		return fmt.Errorf("cancel operation: %w", err)
	}
	q.cancelled(id)
	return nil
}

// CancelAll cancels all unfinished operations and returns their number.
func (q *Queue) CancelAll() (int, error) {
	defer q.o.OnUserAction("")
	var ids []storage.OperationID
	err := q.store.Update(func(tx *storage.Tx) error {
		ids = nil
		for id, op := range storage.Operations.All(tx) {
			if finished(op.Status) {
				continue
			}
			if err := q.cancelIn(tx, op); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("cancel operations: %w", err)
	}
	q.cancelled(ids...)
	return len(ids), nil
}

func (q *Queue) cancelIn(tx *storage.Tx, op storage.Operation) error {
	op.Status, op.CompletedAt, op.NotBefore, op.Error = storage.Cancelled, q.o.Now(), time.Time{}, ""
	return storage.Operations.Put(tx, op.ID, op)
}

// cancelled cancels the contexts of the operations' jobs.
func (q *Queue) cancelled(ids ...storage.OperationID) {
	q.mu.Lock()
	for _, r := range q.runs {
		if slices.Contains(ids, r.id) {
			r.cancel(ErrCancelled)
		}
	}
	for _, id := range ids {
		delete(q.stranded, id)
	}
	q.mu.Unlock()
	q.changed(ids...)
}

// Retry makes a failed or cancelled operation pending again, with all of its attempts; operations
// that it blocked are free then. An operation that waits for its next attempt is tried immediately.
// The error is ErrRunning while it runs and ErrFinished if it is completed; it wraps
// storage.ErrNotFound if there is none.
func (q *Queue) Retry(id storage.OperationID) error {
	defer q.o.OnUserAction(id)
	q.mu.Lock()
	stranded := q.stranded[id]
	q.mu.Unlock()
	err := q.store.Update(func(tx *storage.Tx) error {
		op, err := storage.Operations.Get(tx, id)
		switch {
		case err != nil:
			return err
		case op.Status == storage.Completed:
			return ErrFinished
		case op.Status == storage.InProgress && !stranded:
			return ErrRunning
		}
		return requeue(tx, op)
	})
	if err != nil {
		return fmt.Errorf("retry operation: %w", err)
	}
	q.retried(id)
	return nil
}

// RetryFailed retries all failed operations and returns their number.
func (q *Queue) RetryFailed() (int, error) {
	defer q.o.OnUserAction("")
	var ids []storage.OperationID
	err := q.store.Update(func(tx *storage.Tx) error {
		ids = nil
		for id, op := range storage.Operations.All(tx) {
			if op.Status != storage.Failed {
				continue
			}
			if err := requeue(tx, op); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("retry operations: %w", err)
	}
	q.retried(ids...)
	return len(ids), nil
}

func requeue(tx *storage.Tx, op storage.Operation) error {
	op.Status, op.Attempts, op.Error, op.Result = storage.Pending, 0, "", nil
	op.NotBefore, op.StartedAt, op.CompletedAt = time.Time{}, time.Time{}, time.Time{}
	return storage.Operations.Put(tx, op.ID, op)
}

func (q *Queue) retried(ids ...storage.OperationID) {
	q.mu.Lock()
	for _, id := range ids {
		delete(q.stranded, id)
	}
	q.mu.Unlock()
	q.changed(ids...)
}

// Pause prevents new starts until Resume. Running operations continue. The pause is not stored: it
// ends with the program.
func (q *Queue) Pause() { q.setPaused(true) }

// Resume undoes Pause.
func (q *Queue) Resume() { q.setPaused(false) }

func (q *Queue) setPaused(p bool) {
	q.mu.Lock()
	q.paused = p
	q.mu.Unlock()
	q.Wake()
}

// Paused reports whether the queue is paused.
func (q *Queue) Paused() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.paused
}

// Preempt clears a lane for the user's own turn. The running job is cancelled and put back without
// counting the attempt, and nothing starts on the lane until release is called. Preempt returns
// when the job has returned, after Options.Grace at the latest. Several callers may hold a lane at
// the same time; each release counts once.
func (q *Queue) Preempt(lane string) (release func()) {
	r, release := q.hold(lane)
	if r != nil {
		r.cancel(ErrPreempted)
		limit := time.NewTimer(q.o.Grace)
		defer limit.Stop()
		select {
		case <-r.returned:
		case <-limit.C:
		}
	}
	return release
}

// Hold is Preempt without stopping the job: it waits for the running job of the lane. If ctx ends
// first, the lane is not held and the error is ctx's.
func (q *Queue) Hold(ctx context.Context, lane string) (release func(), err error) {
	r, release := q.hold(lane)
	if r != nil {
		select {
		case <-r.returned:
		case <-ctx.Done():
			release()
			return nil, fmt.Errorf("wait for %s: %w", r.id, ctx.Err())
		}
	}
	return release, nil
}

// hold keeps new operations off a lane and returns the run that is still on it.
func (q *Queue) hold(lane string) (*run, func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held[lane]++
	var once sync.Once
	return q.runs[lane], func() {
		once.Do(func() {
			q.mu.Lock()
			if q.held[lane]--; q.held[lane] == 0 {
				delete(q.held, lane)
			}
			q.mu.Unlock()
			q.Wake()
		})
	}
}

// RunningOn returns the operation that occupies a lane; ok is false if there is none.
func (q *Queue) RunningOn(lane string) (op storage.Operation, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.runs[lane]
	if r == nil {
		return op, false
	}
	op, ok = q.index.unfinished[r.id]
	return op, ok
}
