package queue

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// index holds the scheduler's copy of the store's data, so that it never has to walk the history to
// find the next operation.
type index struct {
	unfinished map[storage.OperationID]storage.Operation // without their texts
	ended      map[storage.OperationID]finishedOperation
	status     map[storage.OperationID]storage.OperationStatus // of the operations in ended
}

func newIndex() index {
	return index{
		unfinished: map[storage.OperationID]storage.Operation{},
		ended:      map[storage.OperationID]finishedOperation{},
		status:     map[storage.OperationID]storage.OperationStatus{},
	}
}

func (ix index) put(op storage.Operation) {
	ix.drop(op.ID)
	if finished(op.Status) {
		e := finishedOperation{status: op.Status, at: op.CompletedAt}
		if op.Status != storage.Completed {
			e.needs = op.Dependencies
		}
		ix.ended[op.ID], ix.status[op.ID] = e, op.Status
		return
	}
	op.Params, op.Metadata, op.Result = nil, nil, nil
	ix.unfinished[op.ID] = op
}

func (ix index) drop(id storage.OperationID) {
	delete(ix.unfinished, id)
	delete(ix.ended, id)
	delete(ix.status, id)
}

func (ix index) operations() []storage.Operation {
	return slices.Collect(maps.Values(ix.unfinished))
}

func finished(s storage.OperationStatus) bool {
	return s != storage.Pending && s != storage.InProgress
}

// staging collects the IDs of operations that have to be updated in the index. It has a lock of its
// own, because Add already holds the store's writing lock.
type staging struct {
	mu      sync.Mutex
	changed map[storage.OperationID]bool // committed
	added   map[storage.OperationID]bool // perhaps not committed yet
}

func (s *staging) add(id storage.OperationID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.added == nil {
		s.added = map[storage.OperationID]bool{}
	}
	s.added[id] = true
}

func (s *staging) change(ids ...storage.OperationID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = map[storage.OperationID]bool{}
	}
	for _, id := range ids {
		s.changed[id] = true
	}
}

// take returns all IDs to read and empties the list of changed ones. Added ones stay until they
// were found, because their transaction may still be open.
func (s *staging) take() []storage.OperationID {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := slices.Collect(maps.Keys(s.changed))
	for id := range s.added {
		if !s.changed[id] {
			ids = append(ids, id)
		}
	}
	clear(s.changed)
	return ids
}

// pending reports whether there is a change that was not taken.
func (s *staging) pending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.changed) > 0
}

func (s *staging) seen(ids ...storage.OperationID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.added, id)
	}
}

func (s *staging) unseen() []storage.OperationID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.added))
}

// settle removes the added operations that were rolled back. Because tx writes, every transaction
// that staged something before is over: an operation that is not in the store now will never be.
func (s *staging) settle(tx *storage.Tx) {
	for _, id := range s.unseen() {
		if _, err := storage.Operations.Get(tx, id); errors.Is(err, storage.ErrNotFound) {
			s.seen(id)
		}
	}
}
