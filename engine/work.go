package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ghostlight/engine/comfy"
	"ghostlight/engine/ollama"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// Work is one kind of queued work. Each column declares its own.
type Work struct {
	Name string  // as operations are stored under it; it never changes
	Job  JobKind // whose profile says which model does it, and so the lane
	// Lane is where it runs that asks no language model; nil: on that of Job.
	Lane     func(tx *storage.Tx) string
	Priority int
	Endless  bool // it bounds its own time
	// Run does it; see queue.Job.
	Run queue.Job
	// Changed hears of every change of such an operation, nil for nobody. It may come
	// late and more than once, and is called outside of transactions.
	Changed func(op storage.Operation)
}

// Subject is what an operation is about, as far as it is about anything.
type Subject struct {
	Capture storage.CaptureID `json:"capture"`
	Chat    storage.ChatID    `json:"chat"`
	Node    storage.NodeID    `json:"node"` // the scene's last message, or the message
}

// subject is what an operation is about by the usual names in its params. A damaged
// record is about nothing.
func subject(op storage.Operation) (s Subject) {
	_ = json.Unmarshal(op.Params, &s)
	return s
}

// register makes kinds of work known. It is called while the engine is wired.
func (e *Engine) register(works ...Work) {
	for _, w := range works {
		if _, twice := e.works[w.Name]; twice {
			panic("work registered twice: " + w.Name)
		}
		e.works[w.Name] = w
		e.queue.Register(w.Name, w.Run)
	}
}

// addWork queues an operation of a kind, at the kind's own priority and as soon as
// possible; as changes that and whatever else is to be different, nil for nothing.
func (e *Engine) addWork(tx *storage.Tx, name string, params any, as func(*storage.Operation)) (storage.OperationID, error) {
	w, ok := e.works[name]
	if !ok {
		return "", fmt.Errorf("there is no work %q", name)
	}
	data, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	op := storage.Operation{Type: name, Params: data, Priority: w.Priority}
	if w.Lane != nil {
		op.Lane = w.Lane(tx)
	} else {
		op.Lane = e.laneFor(tx, w.Job)
	}
	if as != nil {
		as(&op)
	}
	err = e.queue.Add(tx, &op)
	return op.ID, err
}

// newQueue is the queue, which knows no work yet.
func (e *Engine) newQueue() *queue.Queue {
	return queue.New(e.store, queue.Options{
		OnChange:   e.operationChanged,
		OnProgress: func(id storage.OperationID, p queue.Progress) { e.emit(e.progressOf(id, p)) },
		Now:        e.cfg.Now, Words: Words, Log: e.log,
		Passing: passing,
		Timeout: e.jobTimeout,
	})
}

// operationChanged follows an operation.
func (e *Engine) operationChanged(op storage.Operation) {
	if w := e.works[op.Type]; w.Changed != nil {
		w.Changed(op)
	}
	e.emit(OperationChanged{op})
	e.queueMoved.Run(op)
}

// passing tells faults that may be gone at the next try.
func passing(err error) bool {
	return ollama.Passing(err) || errors.Is(err, comfy.ErrVanished) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errLoreMoved)
}

func (e *Engine) progressOf(id storage.OperationID, p queue.Progress) OperationProgress {
	ev := OperationProgress{ID: id, Progress: p}
	var op storage.Operation
	if err := e.store.View(func(tx *storage.Tx) (err error) { op, err = storage.Operations.Get(tx, id); return err }); err == nil {
		s := subject(op)
		ev.Type, ev.Capture, ev.Chat, ev.Node = op.Type, s.Capture, s.Chat, s.Node
	}
	return ev
}

// jobTimeout bounds one attempt at an operation, 0 where that bounds its own time.
func (e *Engine) jobTimeout(op storage.Operation) time.Duration {
	switch {
	case e.works[op.Type].Endless:
		return 0
	case e.cfg.Jobs.Timeout > 0:
		return e.cfg.Jobs.Timeout
	}
	return DefaultJobTimeout
}
