package queue

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Kind is one kind of operation: its handler, its lane and its priority.
type Kind struct {
	Type string // the type of its operations; it never changes
	// Lane returns the lane of a new operation; see LaneOllama.
	Lane      func(tx *storage.Tx) string
	Priority  int
	NoTimeout bool // it has no timeout: it bounds its own time
	Run       Handler
	// Changed is called with every change of such an operation, unless it is nil. The call may come
	// late and more than once, and is made outside of transactions.
	Changed func(op storage.Operation)
}

// The lanes of the chats' own language server and of ComfyUI. They do not contain an address,
// because operations may outlive a change of it.
const (
	LaneOllama = "ollama"
	LaneComfy  = "comfy"
)

// Register registers kinds, each replacing an earlier one of its type. Operations of unknown
// kinds stay pending.
func (q *Queue) Register(kinds ...Kind) {
	q.mu.Lock()
	for _, k := range kinds {
		q.kinds[k.Type] = k
	}
	q.mu.Unlock()
	q.Wake()
}

func (q *Queue) kind(name string) (Kind, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k, ok := q.kinds[name]
	return k, ok
}

// AddOperation is Add for an operation of a registered kind, with the kind's lane and priority.
// params is stored as JSON. change, if any, is applied to the operation before it is stored.
func (q *Queue) AddOperation(tx *storage.Tx, name string, params any,
	change func(*storage.Operation)) (storage.OperationID, error) {
	k, ok := q.kind(name)
	if !ok {
		return "", fmt.Errorf("add operation: unknown kind %q", name)
	}
	data, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	op := storage.Operation{Type: name, Params: data, Priority: k.Priority, Lane: k.Lane(tx)}
	if change != nil {
		change(&op)
	}
	err = q.Add(tx, &op)
	return op.ID, err
}

// Limit returns the time limit of one attempt at an operation, 0 if its kind limits its own time.
func (q *Queue) Limit(op storage.Operation) time.Duration {
	if k, _ := q.kind(op.Type); k.NoTimeout {
		return 0
	}
	return q.o.Timeout()
}

// tellChanged passes the operation's newest state to its kind, then to OnChange.
func (q *Queue) tellChanged(op storage.Operation) {
	if k, _ := q.kind(op.Type); k.Changed != nil {
		k.Changed(op)
	}
	if q.o.OnChange != nil {
		q.o.OnChange(op)
	}
}

// Changed is the event of an operation's newest state.
type Changed struct{ Operation storage.Operation }

// Progressed is the event of a running operation's progress.
type Progressed struct {
	ID       storage.OperationID
	Type     string
	Capture  storage.CaptureID // that it works on, if any
	Chat     storage.ChatID    // if any
	Node     storage.NodeID    // the scene's last message, or the message
	Progress Progress
}

// Join implements event.Joinable: the newest progress of an operation replaces older ones.
func (p Progressed) Join(before event.Event) (event.Event, bool) {
	last, ok := before.(Progressed)
	return p, ok && last.ID == p.ID
}
