package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// errStale is the error of a step if the operation was changed meanwhile.
var errStale = errors.New("the operation was changed meanwhile")

// run is one attempt at an operation.
type run struct {
	id       storage.OperationID
	lane     string
	ctx      context.Context
	cancel   context.CancelCauseFunc
	finished atomic.Bool   // the job is over, or given up
	returned chan struct{} // closed then
	retired  chan struct{} // closed when the run has left its lane
}

func newRun(ctx context.Context, op storage.Operation) *run {
	r := &run{id: op.ID, lane: op.Lane, returned: make(chan struct{}), retired: make(chan struct{})}
	// Its context does not end with ctx itself: stopRuns ends it, with the cause.
	r.ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	return r
}

// outcome is the result of a job.
type outcome struct {
	effect Effect
	err    error
	// cause is the reason for which the job was cancelled before it ended, if it was. It takes
	// precedence over the job's own result.
	cause error
}

// panicError is a panic of a job.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// supervise carries out one attempt and frees the lane.
func (q *Queue) supervise(r *run, s *session) {
	defer q.retire(r)
	op, err := q.begin(r)
	if err != nil {
		r.finished.Store(true)
		close(r.returned)
		if !errors.Is(err, errStale) {
			q.postpone(r.id)
			q.trouble("start an operation", err)
		}
		return
	}
	q.o.Log.Debug("operation started", "id", op.ID, "type", op.Type, "lane", op.Lane, "attempt", op.Attempts)
	o := q.watchRun(r, s, op)
	r.finished.Store(true)
	close(r.returned)
	q.conclude(op, o)
}

// retire frees the lane.
func (q *Queue) retire(r *run) {
	r.cancel(nil)
	q.mu.Lock()
	delete(q.runs, r.lane)
	q.mu.Unlock()
	close(r.retired)
	q.Wake()
}

// begin marks the operation as in progress.
func (q *Queue) begin(r *run) (storage.Operation, error) {
	q.mu.Lock()
	now := State{Draining: len(q.drains) > 0, Now: q.o.Now()}
	q.mu.Unlock()
	return q.step(r.id, storage.Pending, func(tx *storage.Tx, op *storage.Operation) error {
		if r.ctx.Err() != nil || now.early(*op) { // it was put off meanwhile
			return errStale
		}
		q.staged.settle(tx)
		op.Status = storage.InProgress
		op.Attempts++
		op.StartedAt, op.NotBefore = q.o.Now(), time.Time{}
		return nil
	})
}

// step changes an operation in one transaction if it still has the status from; otherwise the error
// is errStale. Nothing is stored if f fails.
func (q *Queue) step(id storage.OperationID, from storage.OperationStatus,
	f func(*storage.Tx, *storage.Operation) error) (storage.Operation, error) {
	var op storage.Operation
	err := q.store.Update(func(tx *storage.Tx) error {
		var err error
		op, err = storage.Operations.Get(tx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return errStale
		case err != nil:
			return err
		case op.Status != from:
			return errStale
		}
		if err := f(tx, &op); err != nil {
			return err
		}
		return storage.Operations.Put(tx, id, op)
	})
	if err == nil || errors.Is(err, errStale) { // late: the index is behind
		q.changed(id)
	}
	return op, err
}

// postpone keeps an operation whose start could not be written from being started over and over.
// The delay is only in the index.
func (q *Queue) postpone(id storage.OperationID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if op, ok := q.index.unfinished[id]; ok {
		op.NotBefore = q.o.Now().Add(troubleDelay)
		q.index.unfinished[id] = op
	}
}

// watchRun runs the job and waits for it, or gives it up if it does not stop within the grace
// period after its cancellation.
func (q *Queue) watchRun(r *run, s *session, op storage.Operation) outcome {
	ctx := r.ctx
	if limit := q.Limit(op); limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: more than %s", ErrTimeout, limit))
		defer stop()
	}
	q.mu.Lock()
	handler := q.kinds[op.Type].Run
	q.mu.Unlock()
	report := func(p Progress) { s.news.tell(op, p, r.finished.Load) }
	ended := make(chan outcome, 1)
	crash.Go("queue job "+op.Type, func() { runHandler(ctx, handler, op, report, ended) })
	select {
	case o := <-ended:
		return o
	case <-ctx.Done():
	}
	grace := time.NewTimer(q.o.Grace)
	defer grace.Stop()
	select {
	case o := <-ended:
		return o
	case <-grace.C:
		q.o.Log.Warn("job does not stop and was given up", "id", op.ID, "type", op.Type, "cause", context.Cause(ctx))
		return outcome{cause: context.Cause(ctx)}
	}
}

// runHandler runs a handler and sends its outcome on ended, even if it panics.
func runHandler(ctx context.Context, handler Handler, op storage.Operation, report func(Progress),
	ended chan<- outcome) {
	o := outcome{err: errors.New("the job ended its goroutine")}
	defer func() {
		if r := recover(); r != nil {
			o.err = &panicError{r, debug.Stack()}
		}
		ended <- o
	}()
	if ctx.Err() != nil { // cancelled before it began
		o.cause = context.Cause(ctx)
		return
	}
	effect, err := handler(ctx, op, report)
	o = outcome{effect, err, context.Cause(ctx)}
}

// conclude stores the outcome of an attempt. A panic counts as a failure, whatever else happened: a
// job that crashes would crash again.
func (q *Queue) conclude(op storage.Operation, o outcome) {
	var crashed *panicError
	switch {
	case errors.As(o.err, &crashed):
		q.fail(op, o.err)
	case errors.Is(o.cause, ErrCancelled):
		// Cancel has stored it already.
		q.o.Log.Info("operation cancelled", "id", op.ID, "type", op.Type)
	case errors.Is(o.cause, ErrTimeout):
		q.fail(op, o.cause)
	case o.cause != nil:
		q.requeueRun(op, o.cause)
	case errors.Is(o.err, ErrDiscard):
		q.discard(op, o.err)
	case o.err != nil:
		q.fail(op, o.err)
	default:
		q.commit(op, o.effect)
	}
}

// requeueRun makes the operation pending again without counting the attempt.
func (q *Queue) requeueRun(op storage.Operation, cause error) {
	_, err := q.step(op.ID, storage.InProgress, func(_ *storage.Tx, op *storage.Operation) error {
		op.Status, op.StartedAt, op.NotBefore = storage.Pending, time.Time{}, time.Time{}
		op.Attempts--
		return nil
	})
	q.o.Log.Info("operation put back", "id", op.ID, "type", op.Type, "cause", cause)
	q.written(op, err)
}

// commit applies the effect and marks the operation completed, or pending if there is more to do,
// in one transaction.
func (q *Queue) commit(op storage.Operation, e Effect) {
	made := e.Result
	if e.Next != nil {
		made = e.Next
	}
	result, err := encode(made)
	if err != nil {
		q.fail(op, err)
		return
	}
	var refused error
	done, err := q.step(op.ID, storage.InProgress, func(tx *storage.Tx, op *storage.Operation) error {
		if refused = apply(tx, e.Apply); refused != nil {
			return refused
		}
		if e.Next != nil {
			op.Params, op.Status, op.StartedAt, op.Attempts, op.Error = result, storage.Pending, time.Time{}, 0, ""
			return nil
		}
		q.complete(op, result)
		return nil
	})
	switch {
	case err == nil && e.Next != nil:
		q.o.Log.Info("operation goes on", "id", done.ID, "type", done.Type)
	case err == nil:
		q.o.Log.Info("operation completed", "id", done.ID, "type", done.Type, "took",
			done.CompletedAt.Sub(done.StartedAt))
		q.tally(done, nil)
	case errors.Is(err, errStale):
		q.o.Log.Info("operation was cancelled when it was just done", "id", op.ID, "type", op.Type)
	case errors.Is(refused, ErrDiscard):
		q.discard(op, refused)
	default:
		q.fail(op, err)
	}
}

func encode(result any) (json.RawMessage, error) {
	if result == nil {
		return nil, nil
	}
	data, err := json.Marshal(result)
	if err == nil && len(data) > maxText {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("store the result: %w", err)
	}
	return data, nil
}

// apply turns a panic into an error, which rolls the transaction back.
func apply(tx *storage.Tx, f func(*storage.Tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicError{r, debug.Stack()}
		}
	}()
	if f == nil {
		return nil
	}
	return f(tx)
}

func (q *Queue) complete(op *storage.Operation, result json.RawMessage) {
	op.Status, op.Result, op.Error = storage.Completed, result, ""
	op.CompletedAt = q.o.Now()
}

// discard completes an operation whose target is gone, without its effect.
func (q *Queue) discard(op storage.Operation, why error) {
	q.o.Log.Info("result discarded", "id", op.ID, "type", op.Type, "reason", why)
	done, err := q.step(op.ID, storage.InProgress, func(_ *storage.Tx, op *storage.Operation) error {
		q.complete(op, nil)
		return nil
	})
	if err == nil {
		q.tally(done, nil)
	}
	q.written(op, err)
}

// fail marks the operation failed, or pending for another attempt later.
func (q *Queue) fail(op storage.Operation, cause error) {
	passing := errors.Is(cause, ErrTimeout) || errors.Is(cause, ErrOutdated) || q.o.IsTemporary(cause)
	words := q.words(cause)
	after, err := q.step(op.ID, storage.InProgress, func(_ *storage.Tx, op *storage.Operation) error {
		op.Error = words
		if passing && op.Attempts < q.o.MaxAttempts {
			op.Status = storage.Pending
			op.NotBefore = q.o.Now().Add(q.o.Backoff(op.Attempts))
			return nil
		}
		op.Status, op.CompletedAt = storage.Failed, q.o.Now()
		return nil
	})
	log := q.o.Log.With("id", op.ID, "type", op.Type, "attempt", op.Attempts, "error", cause)
	var crashed *panicError
	switch {
	case errors.As(cause, &crashed):
		log.Error("operation crashed", "stack", string(crashed.stack))
	case err == nil && after.Status == storage.Pending:
		log.Warn("operation will be tried again", "at", after.NotBefore)
	default:
		log.Error("operation failed")
	}
	if err == nil && after.Status == storage.Failed {
		q.tally(after, cause)
	}
	q.written(op, err)
}

// words returns the text of an error for the user; full details go to the log.
func (q *Queue) words(err error) string {
	var crashed *panicError
	switch {
	case errors.As(err, &crashed):
		return "a bug in the program stopped it; the log has the details"
	case errors.Is(err, ErrTimeout):
		return err.Error()
	}
	return q.o.ErrorText(err)
}

// written handles an end that could not be written: the operation stays in progress in the store,
// and is shown as stranded, until it is retried, cancelled or the program is restarted.
func (q *Queue) written(op storage.Operation, err error) {
	if err == nil || errors.Is(err, errStale) {
		return
	}
	q.mu.Lock()
	q.stranded[op.ID] = true
	q.mu.Unlock()
	q.trouble("write down how operation "+string(op.ID)+" ended", err)
}
