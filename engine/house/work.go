package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
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

// subject is what an operation is about, as far as it is about anything.
type subject struct {
	Capture storage.CaptureID `json:"capture"`
	Chat    storage.ChatID    `json:"chat"`
	Node    storage.NodeID    `json:"node"` // the scene's last message, or the message
}

// subjectOf is what an operation is about by the usual names in its params. A damaged
// record is about nothing.
func subjectOf(op storage.Operation) (s subject) {
	_ = json.Unmarshal(op.Params, &s)
	return s
}

// Register makes kinds of work known. It is called while the engine is wired.
func (svc *Service) Register(works ...Work) {
	for _, w := range works {
		if _, twice := svc.works[w.Name]; twice {
			panic("work registered twice: " + w.Name)
		}
		svc.works[w.Name] = w
		svc.core.Queue.Register(w.Name, w.Run)
	}
}

// AddWork queues an operation of a kind, at the kind's own priority and as soon as
// possible; as changes that and whatever else is to be different, nil for nothing.
func (svc *Service) AddWork(tx *storage.Tx, name string, params any, as func(*storage.Operation)) (storage.OperationID, error) {
	w, ok := svc.works[name]
	if !ok {
		return "", fmt.Errorf("unknown work %q", name)
	}
	data, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	op := storage.Operation{Type: name, Params: data, Priority: w.Priority}
	if w.Lane != nil {
		op.Lane = w.Lane(tx)
	} else {
		op.Lane = svc.laneFor(tx, w.Job)
	}
	if as != nil {
		as(&op)
	}
	err = svc.core.Queue.Add(tx, &op)
	return op.ID, err
}

// NewQueue is the queue, which knows no work yet.
func (svc *Service) NewQueue() *queue.Queue {
	return queue.New(svc.core.Store, queue.Options{
		OnChange:   svc.OperationChanged,
		OnProgress: func(id storage.OperationID, p queue.Progress) { svc.core.Emit(svc.progressOf(id, p)) },
		Now:        svc.core.Config.Now, Words: failure.Words, Log: svc.core.Log,
		Passing: passing,
		Timeout: svc.TryLimit,
	})
}

// OperationChanged follows an operation.
func (svc *Service) OperationChanged(op storage.Operation) {
	if w := svc.works[op.Type]; w.Changed != nil {
		w.Changed(op)
	}
	svc.core.Emit(OperationChanged{op})
	svc.QueueMoved.Run(op)
}

// passing tells faults that may be gone at the next try.
func passing(err error) bool {
	return ollama.Passing(err) || errors.Is(err, comfy.ErrVanished) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrMoved)
}

func (svc *Service) progressOf(id storage.OperationID, p queue.Progress) OperationProgress {
	ev := OperationProgress{ID: id, Progress: p}
	var op storage.Operation
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) { op, err = storage.Operations.Get(tx, id); return err }); err == nil {
		s := subjectOf(op)
		ev.Type, ev.Capture, ev.Chat, ev.Node = op.Type, s.Capture, s.Chat, s.Node
	}
	return ev
}

// TryLimit returns how long one attempt at an operation may take, 0 where that bounds its own
// time.
func (svc *Service) TryLimit(op storage.Operation) time.Duration {
	switch {
	case svc.works[op.Type].Endless:
		return 0
	case svc.core.Settings().Jobs.Timeout > 0:
		return svc.core.Settings().Jobs.Timeout
	}
	return config.DefaultJobTimeout
}

// The lanes of the queue. They do not name an address: operations may outlive a
// change of it.
const (
	LaneOllama = "ollama"
	LaneComfy  = "comfy"
)

// ErrMoved says that what a model was asked about was changed meanwhile: the answer is
// not about what is there now, and the next try asks anew. Its words want what was
// changed before them.
var ErrMoved = errors.New("changed while the model was working")

// WorkWords is what an operation is about, for the user: the words of its kind of work.
func (svc *Service) WorkWords(op storage.Operation) string {
	w := svc.works[op.Type]
	if i := slices.IndexFunc(jobWords, func(info JobInfo) bool { return info.Kind == w.Job }); w.Job != "" && i >= 0 {
		return jobWords[i].Words
	}
	return strings.ReplaceAll(op.Type, "_", " ")
}
