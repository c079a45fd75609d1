package queue

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// DefaultPriority is the priority of an operation that sets none.
const DefaultPriority = 10

// State is the input of Decide, which does not change it.
type State struct {
	// Unfinished holds the operations that are pending or in progress, in any
	// order.
	Unfinished []storage.Operation
	// Finished holds the final status of all other operations. It is only used for lookups, never
	// iterated.
	Finished map[storage.OperationID]storage.OperationStatus
	// Running names the operation that occupies a lane.
	Running map[string]storage.OperationID
	// Stranded are operations that are in progress only in the store, because their end could not
	// be written.
	Stranded map[storage.OperationID]bool
	// Held are the lanes that must not start operations for now.
	Held map[string]bool
	// Known reports whether there is a handler for a type; nil knows all.
	Known func(typ string) bool
	// Paused prevents all starts.
	Paused bool
	// Limit is the maximum number of running operations over all lanes; 0 means no limit.
	Limit int
	// Draining means that somebody waits until all is done. Postponed operations start then; a retry
	// still waits for its time.
	Draining bool
	Now      time.Time
}

// early reports whether an operation's time has not come yet.
func (s State) early(op storage.Operation) bool {
	return op.NotBefore.After(s.Now) && !(s.Draining && IsPostponed(op, s.Now))
}

// IsPostponed reports whether an operation's start is postponed, so that nobody waits for it. A
// retry does not count as postponed.
func IsPostponed(op storage.Operation, now time.Time) bool {
	return op.Status == storage.Pending && op.Attempts == 0 && op.NotBefore.After(now)
}

// Decision is the result of Decide.
type Decision struct {
	// Start lists the operations to start now, in this order.
	Start []storage.OperationID
	// Wake is the time of the next retry, zero if none is waiting. Operations that wait for another
	// operation, a lane or the user do not count: those cause a new decision themselves.
	Wake time.Time
	// Blocked holds the reason for each operation that cannot start by itself.
	Blocked map[storage.OperationID]Block
	// Open counts the pending operations that are not blocked: they will run without help.
	Open int
}

// Obstacle is the kind of thing that blocks an operation.
type Obstacle string

const (
	DependencyFailed    Obstacle = "dependency failed"
	DependencyCancelled Obstacle = "dependency cancelled"
	DependencyMissing   Obstacle = "dependency missing"
	DependencyCycle     Obstacle = "dependency cycle"
	NoHandler           Obstacle = "no handler"
	Stranded            Obstacle = "stranded" // its end could not be written
)

// Block is the reason why an operation cannot start until somebody acts.
type Block struct {
	Obstacle Obstacle
	// By is the operation that causes the block: the one to retry, or the one without a handler. It
	// may be the blocked operation itself.
	By storage.OperationID
	// Reason is a line for the user.
	Reason string
}

// Decide picks the operations to start: on each free lane the ready one with the highest priority,
// and among equals the oldest. An operation is ready when all its dependencies are completed and
// its time has come.
func Decide(s State) Decision {
	b := newBlocker(s)
	d := Decision{Blocked: map[storage.OperationID]Block{}}
	var ready []storage.Operation
	for _, op := range s.Unfinished {
		if b.works(op) {
			continue
		}
		if block := b.of(op.ID); block != nil {
			d.Blocked[op.ID] = *block
			continue
		}
		d.Open++
		switch {
		case !b.satisfied(op):
		case s.early(op):
			if d.Wake.IsZero() || op.NotBefore.Before(d.Wake) {
				d.Wake = op.NotBefore
			}
		default:
			ready = append(ready, op)
		}
	}
	if s.Paused {
		d.Wake = time.Time{}
		return d
	}
	d.Start = pick(s, ready)
	return d
}

// pick returns the best ready operation of each free lane, up to the limit.
func pick(s State, ready []storage.Operation) []storage.OperationID {
	slices.SortFunc(ready, compareRunOrder)
	taken := make(map[string]bool, len(s.Running))
	for lane := range s.Running {
		taken[lane] = true
	}
	var start []storage.OperationID
	for _, op := range ready {
		if s.Limit > 0 && len(taken) >= s.Limit {
			break
		}
		if taken[op.Lane] || s.Held[op.Lane] {
			continue
		}
		taken[op.Lane] = true
		start = append(start, op.ID)
	}
	return start
}

// compareRunOrder orders operations as the queue starts them.
func compareRunOrder(a, b storage.Operation) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		a.CreatedAt.Compare(b.CreatedAt),
		cmp.Compare(a.ID, b.ID),
	)
}

// blocker finds the blocks of operations, each once.
type blocker struct {
	state   State
	ops     map[storage.OperationID]storage.Operation
	running map[storage.OperationID]bool
	found   map[storage.OperationID]*Block
	path    map[storage.OperationID]bool
}

func newBlocker(s State) *blocker {
	b := &blocker{
		state:   s,
		ops:     make(map[storage.OperationID]storage.Operation, len(s.Unfinished)),
		running: make(map[storage.OperationID]bool, len(s.Running)),
		found:   make(map[storage.OperationID]*Block, len(s.Unfinished)),
		path:    map[storage.OperationID]bool{},
	}
	for _, op := range s.Unfinished {
		b.ops[op.ID] = op
	}
	for _, id := range s.Running {
		b.running[id] = true
	}
	return b
}

// works reports whether an operation is being worked on. One that is in progress without occupying
// a lane has just begun or just ended.
func (b *blocker) works(op storage.Operation) bool {
	return b.running[op.ID] || op.Status == storage.InProgress && !b.state.Stranded[op.ID]
}

// of returns the block of an unfinished operation, nil if there is none. An operation that depends
// on a blocked one is blocked by the same root.
func (b *blocker) of(id storage.OperationID) *Block {
	op := b.ops[id]
	if b.works(op) {
		return nil
	}
	if block, ok := b.found[id]; ok {
		return block
	}
	b.path[id] = true
	block := b.own(op)
	for i := 0; block == nil && i < len(op.Dependencies); i++ {
		block = b.blockedBy(op.Dependencies[i])
	}
	delete(b.path, id)
	b.found[id] = block
	return block
}

// own returns the block of an operation apart from its dependencies.
func (b *blocker) own(op storage.Operation) *Block {
	switch {
	case b.state.Stranded[op.ID]:
		return &Block{Stranded, op.ID, fmt.Sprintf("the result of %s could not be saved; retry it",
			name(op.ID, op.Type))}
	case b.state.Known != nil && !b.state.Known(op.Type):
		return &Block{NoHandler, op.ID, fmt.Sprintf("this version of the program has no handler for %q", op.Type)}
	}
	return nil
}

// blockedBy returns the block that a dependency causes for its dependants.
func (b *blocker) blockedBy(id storage.OperationID) *Block {
	if _, unfinished := b.ops[id]; unfinished {
		if b.path[id] {
			return &Block{DependencyCycle, id,
				fmt.Sprintf("waiting for %s, which is waiting for it", name(id, b.ops[id].Type))}
		}
		return b.of(id)
	}
	switch b.state.Finished[id] {
	case storage.Completed:
		return nil
	case storage.Failed:
		return &Block{DependencyFailed, id, fmt.Sprintf("waiting for %s, which failed; retry that one", id)}
	case storage.Cancelled:
		return &Block{DependencyCancelled, id, fmt.Sprintf("waiting for %s, which was cancelled; retry that one", id)}
	}
	return &Block{DependencyMissing, id, fmt.Sprintf("waiting for %s, which does not exist", id)}
}

// satisfied reports whether all dependencies of an operation are completed.
func (b *blocker) satisfied(op storage.Operation) bool {
	for _, id := range op.Dependencies {
		if b.state.Finished[id] != storage.Completed {
			return false
		}
	}
	return true
}

func name(id storage.OperationID, typ string) string {
	return fmt.Sprintf("%s (%s)", id, typ)
}

// hasCycle reports whether an operation with this ID and these dependencies would wait for itself.
// dependencies returns those of the existing operations.
func hasCycle(id storage.OperationID, deps []storage.OperationID,
	dependencies func(storage.OperationID) []storage.OperationID) bool {
	seen := map[storage.OperationID]bool{}
	todo := slices.Clone(deps)
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if next == id {
			return true
		}
		if !seen[next] {
			seen[next] = true
			todo = append(todo, dependencies(next)...)
		}
	}
	return false
}

// finishedOperation holds the data that the queue remembers of a finished operation.
type finishedOperation struct {
	status storage.OperationStatus
	at     time.Time
	needs  []storage.OperationID // its dependencies if it were retried
}

// forgettable returns the finished operations that may be deleted so that about keep remain, oldest
// first. An operation stays beyond that number if an unfinished operation depends on it, or if a
// kept failure would need it for a retry.
func forgettable(finished map[storage.OperationID]finishedOperation, unfinished []storage.Operation,
	keep int) []storage.OperationID {
	if len(finished) <= keep {
		return nil
	}
	order := make([]storage.OperationID, 0, len(finished))
	for id := range finished {
		order = append(order, id)
	}
	slices.SortFunc(order, func(a, b storage.OperationID) int { // newest first
		return cmp.Or(finished[b].at.Compare(finished[a].at), cmp.Compare(b, a))
	})
	needed := map[storage.OperationID]bool{}
	var need func(ids []storage.OperationID)
	need = func(ids []storage.OperationID) {
		for _, id := range ids {
			if !needed[id] {
				needed[id] = true
				need(finished[id].needs)
			}
		}
	}
	for _, op := range unfinished {
		need(op.Dependencies)
	}
	for _, id := range order[:keep] {
		need(finished[id].needs)
	}
	var drop []storage.OperationID
	for _, id := range slices.Backward(order[keep:]) {
		if !needed[id] {
			drop = append(drop, id)
		}
	}
	return drop
}
