package queue

import (
	"sync"

	"ghostlight/storage"
)

// news carries changes and progress to the follower on a goroutine of its own,
// so that no job, scheduler or caller ever waits for the follower. What it has
// not yet delivered is replaced by what is newer.
type news struct {
	onChange   func(storage.Operation)
	onProgress func(storage.OperationID, Progress)
	kick       chan struct{}
	done       chan struct{}

	mu       sync.Mutex
	closed   bool
	changes  waiting[storage.Operation]
	progress waiting[Progress]
}

func newNews(onChange func(storage.Operation), onProgress func(storage.OperationID, Progress)) *news {
	return &news{
		onChange: onChange, onProgress: onProgress,
		kick: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// waiting holds the newest value of each operation, in the order in which they
// began to wait.
type waiting[V any] struct {
	order  []storage.OperationID
	values map[storage.OperationID]V
}

func (w *waiting[V]) put(id storage.OperationID, v V) {
	if w.values == nil {
		w.values = map[storage.OperationID]V{}
	}
	if _, ok := w.values[id]; !ok {
		w.order = append(w.order, id)
	}
	w.values[id] = v
}

func (w *waiting[V]) each(f func(storage.OperationID, V)) {
	for _, id := range w.order {
		if v, ok := w.values[id]; ok {
			delete(w.values, id) // an id may stand in the order twice
			f(id, v)
		}
	}
}

// change tells of an operation's new state. Progress of one that does not run
// any more is dropped.
func (n *news) change(op storage.Operation) {
	if n.onChange == nil && n.onProgress == nil {
		return
	}
	n.mu.Lock()
	if op.Status != storage.InProgress {
		delete(n.progress.values, op.ID)
	}
	if n.onChange != nil {
		n.changes.put(op.ID, op)
	}
	n.mu.Unlock()
	n.wake()
}

// tell passes on progress, unless over says that its operation has ended.
func (n *news) tell(id storage.OperationID, p Progress, over func() bool) {
	if n.onProgress == nil {
		return
	}
	n.mu.Lock()
	late := n.closed || over()
	if !late {
		if old, ok := n.progress.values[id]; ok && p.Preview == nil {
			p.Preview = old.Preview
		}
		n.progress.put(id, p)
	}
	n.mu.Unlock()
	if !late {
		n.wake()
	}
}

func (n *news) wake() {
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// close lets deliver end once it has delivered what is waiting.
func (n *news) close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.wake()
}

// deliver runs until close.
func (n *news) deliver() {
	defer close(n.done)
	for range n.kick {
		n.mu.Lock()
		changes, progress, closed := n.changes, n.progress, n.closed
		n.changes, n.progress = waiting[storage.Operation]{}, waiting[Progress]{}
		n.mu.Unlock()
		changes.each(func(_ storage.OperationID, op storage.Operation) { n.onChange(op) })
		progress.each(n.onProgress)
		if closed {
			return
		}
	}
}
