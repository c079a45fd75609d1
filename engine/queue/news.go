package queue

import (
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// notifier delivers changes and progress to the follower on its own goroutine, so that no job,
// scheduler or caller ever waits for the follower. Values that were not delivered yet are replaced
// by newer ones. Progress of an attempt is delivered after the change that starts the attempt: a
// quick job may report earlier.
type notifier struct {
	onChange   func(storage.Operation)
	onProgress func(storage.OperationID, Progress)
	kick       chan struct{}
	done       chan struct{}
	begun      map[storage.OperationID]int // attempts that the follower knows to run; deliver's own

	mu       sync.Mutex
	closed   bool
	changes  pendingUpdates[storage.Operation]
	progress pendingUpdates[attemptProgress]
}

// attemptProgress is the progress that one attempt at an operation reported.
type attemptProgress struct {
	Progress
	attempt int
}

// isOver reports whether the attempt has ended according to op, a state of the operation that may
// be older than the attempt.
func (p attemptProgress) isOver(op storage.Operation) bool {
	return finished(op.Status) || op.Status == storage.Pending && p.attempt <= op.Attempts
}

func newNotifier(onChange func(storage.Operation), onProgress func(storage.OperationID, Progress)) *notifier {
	if onChange == nil {
		onChange = func(storage.Operation) {}
	}
	if onProgress == nil {
		onProgress = func(storage.OperationID, Progress) {}
	}
	return &notifier{
		onChange: onChange, onProgress: onProgress,
		kick: make(chan struct{}, 1), done: make(chan struct{}),
		begun: map[storage.OperationID]int{},
	}
}

// pendingUpdates holds the newest value of each operation, in the order in which they were first
// added.
type pendingUpdates[V any] struct {
	order  []storage.OperationID
	values map[storage.OperationID]V
}

func (w *pendingUpdates[V]) put(id storage.OperationID, v V) {
	if w.values == nil {
		w.values = map[storage.OperationID]V{}
	}
	if _, ok := w.values[id]; !ok {
		w.order = append(w.order, id)
	}
	w.values[id] = v
}

func (w *pendingUpdates[V]) each(f func(storage.OperationID, V)) {
	for _, id := range w.order {
		if v, ok := w.values[id]; ok {
			delete(w.values, id) // an ID may be in the order twice
			f(id, v)
		}
	}
}

// change queues an operation's new state for delivery. It drops progress of an attempt that does
// not run any more.
func (n *notifier) change(op storage.Operation) {
	n.mu.Lock()
	if p, ok := n.progress.values[op.ID]; ok && p.isOver(op) {
		delete(n.progress.values, op.ID)
	}
	n.changes.put(op.ID, op)
	n.mu.Unlock()
	n.wake()
}

// tell queues progress of an attempt for delivery, unless over reports that the attempt has ended.
func (n *notifier) tell(op storage.Operation, p Progress, over func() bool) {
	n.mu.Lock()
	late := n.closed || over()
	if !late {
		if old, ok := n.progress.values[op.ID]; ok && p.Preview == nil {
			p.Preview = old.Preview
		}
		n.progress.put(op.ID, attemptProgress{p, op.Attempts})
	}
	n.mu.Unlock()
	if !late {
		n.wake()
	}
}

func (n *notifier) wake() {
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// close makes deliver return once it has delivered the waiting values.
func (n *notifier) close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.wake()
}

// deliver runs until close.
func (n *notifier) deliver() {
	defer close(n.done)
	for range n.kick {
		if n.round() {
			return
		}
	}
}

// round delivers the waiting values and reports whether these were the last.
func (n *notifier) round() bool {
	n.mu.Lock()
	changes, progress, last := n.changes, n.progress, n.closed
	n.changes, n.progress = pendingUpdates[storage.Operation]{}, pendingUpdates[attemptProgress]{}
	n.mu.Unlock()
	changes.each(n.deliverChange)
	progress.each(n.deliverProgress)
	return last
}

func (n *notifier) deliverChange(id storage.OperationID, op storage.Operation) {
	if op.Status == storage.InProgress {
		n.begun[id] = op.Attempts
	} else {
		delete(n.begun, id)
	}
	n.onChange(op)
}

// deliverProgress delivers progress, but keeps it while the follower does not know that its attempt
// has begun.
func (n *notifier) deliverProgress(id storage.OperationID, p attemptProgress) {
	if n.begun[id] == p.attempt {
		n.onProgress(id, p.Progress)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	_, newer := n.progress.values[id]
	if op, ok := n.changes.values[id]; newer || ok && p.isOver(op) {
		return
	}
	n.progress.put(id, p)
}
