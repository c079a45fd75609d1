// Package queue stores background work as operations and runs them by priority and dependency, one
// at a time on each lane. It gives way to the user, survives crashes, and applies no effect twice.
//
// The pure function Decide makes all decisions; the rest of the package carries them out. The store
// holds the true state of every operation. Each step of an operation is one transaction that checks
// the stored status first, so that a step that comes too late changes nothing.
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Errors that callers may distinguish.
var (
	// ErrDiscard is returned by a job, or by its Apply, if its target is gone. The operation counts
	// as completed; its result is discarded.
	ErrDiscard = errors.New("the target no longer exists")
	// ErrFinished: the operation ended before it could be cancelled, or is
	// completed and so cannot be retried.
	ErrFinished = errors.New("the operation is finished")
	// ErrRunning: an operation that runs cannot be retried.
	ErrRunning = errors.New("the operation is running")
	// ErrCycle: the operation would wait for itself.
	ErrCycle = errors.New("the operation would wait for itself")
	// ErrExists: an operation with the ID exists already.
	ErrExists = errors.New("the operation already exists")
	// ErrTooLarge: an operation or its result exceeds the size limit.
	ErrTooLarge = errors.New("too large for an operation")
	// ErrStarted: the queue has been started before.
	ErrStarted = errors.New("the queue is already running")
	// ErrFailed: something failed while the queue was being drained.
	ErrFailed = errors.New("failed")
	// ErrOutdated is returned by a job if its material was changed meanwhile: its result is about an
	// outdated state, and the next attempt begins from the start. Errors that wrap it name the
	// changed thing before its text, as in "the entry was %w".
	ErrOutdated = errors.New("changed while the model was working")
)

// The reasons for which a job's context ends, as context.Cause returns them.
var (
	ErrCancelled = errors.New("cancelled by you")
	ErrPreempted = errors.New("interrupted by your message")
	ErrStopped   = errors.New("the queue was stopped")
	ErrTimeout   = errors.New("took too long")
)

const (
	maxText         = 4 << 20 // bytes of params, metadata or result
	maxDependencies = 1000
)

// Handler does the work of one operation. It must return soon after ctx ends; its result is then
// discarded, whatever it is. Otherwise an error makes the operation failed, or pending for a retry
// if the error is temporary, and a nil error commits the effect. report may be called from any
// goroutine, never blocks, and does nothing once the job is over. A panic counts as an error.
type Handler func(ctx context.Context, op storage.Operation, report func(Progress)) (Effect, error)

// Effect is the result of a job. Result is stored with the operation as JSON. Apply, if any, writes
// to the store in the transaction that marks the operation completed: both happen, once, or
// neither. It may Add further operations. It must not use the Queue otherwise, nor the Store, and
// should be short.
//
// Next, if not nil, says that the work is not over. It is stored as JSON as the operation's new
// params, which describe the work done so far; the operation then waits for its next turn. It keeps
// its ID, and its attempts are counted from zero. Result is ignored then.
type Effect struct {
	Result any
	Apply  func(tx *storage.Tx) error
	Next   any
}

// Progress is the progress of a running operation. Each value is complete: a newer one replaces an
// older one, which a slow follower never sees.
type Progress struct {
	Text     string // the current step, or the text written so far
	Step, Of int    // 0, 0 when there are no steps
	Tokens   int    // written so far
	Preview  []byte // an encoded picture; not changed after it was reported
	// Left is the estimated remaining time according to earlier runs, 0 while that is unknown.
	Left time.Duration
	// Phases are the parts of the work in their order, nil if there is only one. The list is not
	// changed after it was reported.
	Phases []Phase
}

// Phase is one part of a job's work.
type Phase struct {
	Name  string // in a few words
	State PhaseState
	Note  string // its result, usually ""
}

// PhaseState is the state of a phase.
type PhaseState int

const (
	PhasePending PhaseState = iota
	PhaseRunning
	PhaseDone
	PhaseSkipped // by a setting, or because there was nothing to do
	PhaseFailed  // the work went on without it
)

// Options configure a Queue. Zero values are replaced as noted.
type Options struct {
	// OnChange is called with the newest state of each operation that changed, in order; it skips
	// states that pass too quickly. OnProgress is called with the newest progress. Both are called
	// from one goroutine that nothing else waits for, so they may block and may use the Queue.
	// OnProgress is never called after the change that ends its operation.
	OnChange   func(storage.Operation)
	OnProgress func(storage.OperationID, Progress)
	// OnUserAction is called with the ID passed to Cancel or Retry, or with "" by CancelAll and
	// RetryFailed, before these return, also if they fail.
	OnUserAction func(storage.OperationID)
	// MaxRunning is the maximum number of running operations over all lanes; 0 means no limit.
	MaxRunning int
	// MaxAttempts limits the attempts at an operation; 0 means 3.
	MaxAttempts int
	// Backoff returns the time to wait after the given number of attempts; nil means 1 s, 4 s, 16 s
	// and so on.
	Backoff func(attempts int) time.Duration
	// Timeout limits one attempt of a kind without NoTimeout; nil or a result of 0 means no
	// limit. An exceeded limit is a temporary error.
	Timeout func() time.Duration
	// Grace is the time that a cancelled job may take to stop before it is given up: its lane goes
	// on without it and its result is ignored. 0 means 3 s.
	Grace time.Duration
	// Keep is the number of finished operations that are kept, the newest; 0 means 500. They are
	// trimmed when there are a tenth more.
	Keep int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// IsTemporary reports whether an error, other than ErrOutdated, is temporary and worth another
	// attempt; nil means never.
	IsTemporary func(error) bool
	// ErrorText returns the text of an error for the user; nil uses the error's own text.
	ErrorText func(error) string
	// Log gets full details; nil discards them.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	o.MaxAttempts = cmp.Or(o.MaxAttempts, 3)
	o.Grace = cmp.Or(o.Grace, 3*time.Second)
	o.Keep = cmp.Or(o.Keep, 500)
	if o.Backoff == nil {
		o.Backoff = func(attempts int) time.Duration { return time.Second << min(2*(attempts-1), 12) }
	}
	if o.Timeout == nil {
		o.Timeout = func() time.Duration { return 0 }
	}
	if o.OnUserAction == nil {
		o.OnUserAction = func(storage.OperationID) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.IsTemporary == nil {
		o.IsTemporary = func(error) bool { return false }
	}
	if o.ErrorText == nil {
		o.ErrorText = error.Error
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Queue runs the operations of one store. All methods are safe for concurrent use. Only the Queue
// may write to the table of operations.
//
// No method may be called inside a transaction except Add, AddOperation and Wake.
type Queue struct {
	store  *storage.Store
	o      Options
	kick   chan struct{} // holds one wake-up
	staged staging

	mu       sync.Mutex      // never held while the store is used
	kinds    map[string]Kind // by name
	index    index
	runs     map[string]*run // by lane
	held     map[string]int
	stranded map[storage.OperationID]bool
	paused   bool
	drains   map[*drainCall]bool
	session  *session // nil unless started
}

// New makes a queue for the operations of store. Nothing runs before Start.
func New(store *storage.Store, o Options) *Queue {
	return &Queue{
		store:    store,
		o:        o.withDefaults(),
		kick:     make(chan struct{}, 1),
		kinds:    map[string]Kind{},
		index:    newIndex(),
		runs:     map[string]*run{},
		held:     map[string]int{},
		stranded: map[storage.OperationID]bool{},
		drains:   map[*drainCall]bool{},
	}
}

// Add stores a new operation inside the caller's transaction. It exists when that commits; the
// caller then calls Wake. The caller sets Type, Lane and the job's params. Priority 0 becomes
// DefaultPriority, and an empty ID is replaced by a new one. A NotBefore in the future postpones
// the start; it may be changed in the store while the operation is pending, see [Queue.Rescheduled].
// Dependencies may name operations that do not exist yet. Add sets all other fields, also in *op.
// Errors: ErrExists, ErrCycle, ErrTooLarge.
func (q *Queue) Add(tx *storage.Tx, op *storage.Operation) error {
	if op.Type == "" {
		return errors.New("add operation: it has no type")
	}
	if len(op.Params) > maxText || len(op.Metadata) > maxText || len(op.Dependencies) > maxDependencies {
		return fmt.Errorf("add operation %s: %w", op.Type, ErrTooLarge)
	}
	if op.ID == "" {
		op.ID = storage.OperationID(storage.NewID())
	} else if _, err := storage.Operations.Get(tx, op.ID); !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("add operation %s: %w", op.ID, cmp.Or(err, ErrExists))
	}
	op.Dependencies = distinct(op.Dependencies)
	if hasCycle(op.ID, op.Dependencies, dependenciesIn(tx)) {
		return fmt.Errorf("add operation %s: %w", op.ID, ErrCycle)
	}
	op.Status, op.Attempts, op.Result, op.Error = storage.Pending, 0, nil, ""
	op.Priority = cmp.Or(op.Priority, DefaultPriority)
	op.CreatedAt, op.StartedAt, op.CompletedAt = q.o.Now(), time.Time{}, time.Time{}
	if err := storage.Operations.Put(tx, op.ID, *op); err != nil {
		return fmt.Errorf("add operation: %w", err)
	}
	q.staged.add(op.ID)
	return nil
}

// distinct removes duplicates. It never returns nil, which would be stored as null.
func distinct(ids []storage.OperationID) []storage.OperationID {
	out := make([]storage.OperationID, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// dependenciesIn returns a function that looks up dependencies in the store. A completed operation
// has none any more.
func dependenciesIn(tx *storage.Tx) func(storage.OperationID) []storage.OperationID {
	return func(id storage.OperationID) []storage.OperationID {
		op, err := storage.Operations.Get(tx, id)
		if err != nil || op.Status == storage.Completed {
			return nil
		}
		return op.Dependencies
	}
}

// Enqueue is Add in its own transaction, and Wake.
func (q *Queue) Enqueue(op *storage.Operation) error {
	if err := q.store.Update(func(tx *storage.Tx) error { return q.Add(tx, op) }); err != nil {
		return err
	}
	q.Wake()
	return nil
}

// Wake makes the queue look for new work. It never blocks and is cheap.
func (q *Queue) Wake() {
	select {
	case q.kick <- struct{}{}:
	default:
	}
}

// List returns all operations: first the running ones, then the pending ones in the order in which
// they will be started, then the finished ones, newest first. It also works when the queue is not
// started.
func (q *Queue) List() ([]storage.Operation, error) {
	var ops []storage.Operation
	err := q.store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.All(tx) {
			ops = append(ops, op)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list operations: %w", err)
	}
	slices.SortFunc(ops, compareListed)
	return ops, nil
}

func compareListed(a, b storage.Operation) int {
	place := func(op storage.Operation) int {
		switch op.Status {
		case storage.InProgress:
			return 0
		case storage.Pending:
			return 1
		}
		return 2
	}
	switch at := place(a); {
	case at != place(b):
		return cmp.Compare(at, place(b))
	case at == 2:
		return cmp.Or(b.CompletedAt.Compare(a.CompletedAt), cmp.Compare(b.ID, a.ID))
	}
	return compareRunOrder(a, b)
}

// Blocked returns which pending operations cannot start by themselves, and why.
// It also works when the queue is not started.
func (q *Queue) Blocked() (map[storage.OperationID]Block, error) {
	ix := newIndex()
	err := q.store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.All(tx) {
			ix.put(op)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list blocked operations: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return Decide(q.state(ix)).Blocked, nil
}

// state returns the input for Decide; q.mu is held.
func (q *Queue) state(ix index) State {
	s := State{
		Unfinished: ix.operations(),
		Finished:   ix.status,
		Running:    make(map[string]storage.OperationID, len(q.runs)),
		Stranded:   q.stranded,
		Held:       make(map[string]bool, len(q.held)),
		Known:      func(typ string) bool { _, ok := q.kinds[typ]; return ok }, // q.mu is held
		Paused:     q.paused,
		Limit:      q.o.MaxRunning,
		Draining:   len(q.drains) > 0,
		Now:        q.o.Now(),
	}
	for lane, r := range q.runs {
		s.Running[lane] = r.id
	}
	for lane := range q.held {
		s.Held[lane] = true
	}
	return s
}
