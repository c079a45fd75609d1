package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// troubleDelay is the time that the queue waits after the store refused a write.
const troubleDelay = 5 * time.Second

// session is the time between a Start and its Stop.
type session struct {
	cancel context.CancelFunc
	ended  chan struct{} // closed when nothing of it runs any more
	news   *notifier
}

// Start begins to run operations. Those that were in progress when the program last ended are
// pending again, and keep their attempts. The queue stops when ctx ends or Stop is called; it may
// be started again then.
func (q *Queue) Start(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.session != nil {
		return ErrStarted
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &session{cancel: cancel, ended: make(chan struct{}), news: newNotifier(q.tellChanged, q.o.OnProgress)}
	q.session = s
	crash.Go("queue news", s.news.deliver)
	crash.Go("queue", func() { q.work(ctx, s) })
	return nil
}

// Stop cancels all jobs and waits for them, for a time that Options.Grace limits. Operations that
// ran are pending again; the attempt is not counted. When Stop returns, the queue no longer uses
// the store.
func (q *Queue) Stop() {
	q.mu.Lock()
	s := q.session
	q.mu.Unlock()
	if s == nil {
		return
	}
	s.cancel()
	q.await(s.ended, "its jobs")
	s.news.close()
	q.await(s.news.done, "a follower")
}

// await waits somewhat longer than it takes to give up a job.
func (q *Queue) await(done <-chan struct{}, what string) {
	limit := time.NewTimer(2 * q.o.Grace)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		q.o.Log.Warn("queue stopped without waiting any longer", "for", what)
	}
}

// work is the scheduler: only it starts operations.
func (q *Queue) work(ctx context.Context, s *session) {
	defer close(s.ended)
	loaded := false
	for ctx.Err() == nil {
		if !loaded {
			loaded = q.load()
		}
		wake := q.o.Now().Add(troubleDelay)
		if loaded {
			wake = q.pass(ctx, s)
		}
		q.sleep(ctx, wake)
	}
	q.stopRuns(s)
}

// sleep waits for a wake-up or until the given time, if it is not zero.
func (q *Queue) sleep(ctx context.Context, wake time.Time) {
	var due <-chan time.Time
	if !wake.IsZero() {
		t := time.NewTimer(max(wake.Sub(q.o.Now()), 0))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-ctx.Done():
	case <-q.kick:
	case <-due:
	}
}

// load fills the index. Operations that an earlier process left in progress become pending again.
func (q *Queue) load() bool {
	ix := newIndex()
	err := q.store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.All(tx) {
			ix.put(op)
		}
		for _, err := range tx.Skipped() {
			q.o.Log.Error("an operation cannot be read", "error", err)
		}
		return nil
	})
	if err == nil {
		err = q.reclaim(ix)
	}
	if err != nil {
		q.trouble("load operations", err)
		return false
	}
	q.mu.Lock()
	q.index = ix
	clear(q.stranded)
	q.mu.Unlock()
	return true
}

// reclaim makes operations in progress pending, in the store and in ix.
func (q *Queue) reclaim(ix index) error {
	var left []storage.OperationID
	for id, op := range ix.unfinished {
		if op.Status == storage.InProgress {
			left = append(left, id)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return q.store.Update(func(tx *storage.Tx) error {
		for _, id := range left {
			op, err := storage.Operations.Get(tx, id)
			if err != nil {
				return err
			}
			if op.Status != storage.InProgress {
				continue
			}
			op.Status, op.StartedAt = storage.Pending, time.Time{}
			if err := storage.Operations.Put(tx, id, op); err != nil {
				return err
			}
			ix.put(op)
			q.o.Log.Info("operation was interrupted and runs again", "id", id, "type", op.Type, "attempts", op.Attempts)
		}
		return nil
	})
}

// pass updates the index, decides, and starts operations. It returns the time of the next pass,
// zero if only a wake-up starts one.
func (q *Queue) pass(ctx context.Context, s *session) time.Time {
	q.mu.Lock()
	for dr := range q.drains {
		dr.armed = true
	}
	q.mu.Unlock()
	if err := q.refresh(s); err != nil {
		q.trouble("read operations", err)
		return q.o.Now().Add(troubleDelay)
	}
	q.trim()
	q.mu.Lock()
	defer q.mu.Unlock()
	d := Decide(q.state(q.index))
	for _, id := range d.Start {
		op := q.index.unfinished[id]
		r := newRun(ctx, op)
		q.runs[op.Lane] = r
		crash.Go("queue operation "+op.Type, func() { q.supervise(r, s) })
	}
	// A change after the refresh makes this state outdated: then the next pass follows immediately.
	if len(q.runs) == 0 && (q.paused || d.Open == 0) && !q.staged.pending() {
		for dr := range q.drains {
			if dr.armed {
				dr.finish(nil)
			}
		}
	}
	return d.Wake
}

// refresh reads changed operations into the index and notifies about them.
func (q *Queue) refresh(s *session) error {
	ids := q.staged.take()
	if len(ids) == 0 {
		return nil
	}
	var ops []storage.Operation
	var gone []storage.OperationID
	err := q.store.View(func(tx *storage.Tx) error {
		for _, id := range ids {
			op, err := storage.Operations.Get(tx, id)
			switch {
			case err == nil:
				ops = append(ops, op)
			case errors.Is(err, storage.ErrNotFound):
				gone = append(gone, id)
			default:
				q.o.Log.Error("an operation cannot be read", "id", id, "error", err)
			}
		}
		return nil
	})
	if err != nil {
		q.staged.change(ids...)
		return err
	}
	q.mu.Lock()
	for _, op := range ops {
		q.index.put(op)
	}
	for _, id := range gone {
		q.index.drop(id)
	}
	q.mu.Unlock()
	for _, op := range ops {
		q.staged.seen(op.ID)
		s.news.change(op)
	}
	return nil
}

// trim deletes old finished operations, many at a time.
func (q *Queue) trim() {
	q.mu.Lock()
	var drop []storage.OperationID
	if len(q.index.ended) > q.o.Keep+q.o.Keep/10 {
		drop = forgettable(q.index.ended, q.index.operations(), q.o.Keep)
	}
	q.mu.Unlock()
	if len(drop) == 0 {
		return
	}
	err := q.store.Update(func(tx *storage.Tx) error {
		q.staged.settle(tx)
		needed := map[storage.OperationID]bool{}
		for _, id := range q.staged.unseen() {
			if op, err := storage.Operations.Get(tx, id); err == nil {
				for _, dep := range op.Dependencies {
					needed[dep] = true
				}
			}
		}
		for _, id := range drop {
			op, err := storage.Operations.Get(tx, id)
			if err != nil || needed[id] || !finished(op.Status) {
				continue
			}
			if err := storage.Operations.Delete(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		q.o.Log.Warn("old operations could not be trimmed", "error", err)
		return
	}
	q.mu.Lock()
	for _, id := range drop {
		q.index.drop(id)
	}
	q.mu.Unlock()
	q.changed(drop...) // some may have been needed after all
}

// Rescheduled is called once a change of the priority or the time of pending operations in the store has
// committed.
func (q *Queue) Rescheduled(ids ...storage.OperationID) { q.changed(ids...) }

// changed marks operations whose stored state is new.
func (q *Queue) changed(ids ...storage.OperationID) {
	q.staged.change(ids...)
	q.Wake()
}

// stopRuns ends the session: it cancels all jobs and waits for them.
func (q *Queue) stopRuns(s *session) {
	q.mu.Lock()
	var left []*run
	for _, r := range q.runs {
		r.cancel(ErrStopped)
		left = append(left, r)
	}
	q.mu.Unlock()
	for _, r := range left {
		<-r.retired
	}
	if err := q.refresh(s); err != nil {
		q.o.Log.Warn("last changes of the queue were not passed on", "error", err)
	}
	s.news.close()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.session = nil
	for dr := range q.drains {
		dr.finish(ErrStopped)
	}
}

// trouble logs a failure of the store and ends the waiting drains with it.
func (q *Queue) trouble(doing string, err error) {
	q.o.Log.Error("the queue cannot use the store", "doing", doing, "error", err)
	q.mu.Lock()
	defer q.mu.Unlock()
	for dr := range q.drains {
		dr.finish(fmt.Errorf("%s: %w", doing, err))
	}
}
