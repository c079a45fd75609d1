package queue

import "github.com/ghostlight-theatre/ghostlight/storage"

// CountAhead counts the other operations of a type: the running ones, and those that will start as soon
// as their lane is free. Operations that wait for another attempt or are blocked do not count.
func (q *Queue) CountAhead(typ string, besides storage.OperationID) (running, ready int) {
	q.mu.Lock()
	d := Decide(q.state(q.index))
	now := q.o.Now()
	known := map[storage.OperationID]bool{besides: true}
	for _, r := range q.runs {
		// One that has ended may not have left its lane yet.
		if op, ok := q.index.unfinished[r.id]; ok && op.Type == typ && !known[r.id] {
			running++
		}
		known[r.id] = true
	}
	count := func(op storage.Operation) {
		_, blocked := d.Blocked[op.ID]
		if !known[op.ID] && op.Type == typ && op.Status == storage.Pending && !blocked && !op.NotBefore.After(now) {
			ready++
		}
		known[op.ID] = true
	}
	for _, op := range q.index.unfinished {
		count(op)
	}
	q.mu.Unlock()
	ids := q.staged.unseen() // added since the queue looked last
	if len(ids) == 0 {
		return running, ready
	}
	err := q.store.View(func(tx *storage.Tx) error {
		for _, id := range ids {
			if op, err := storage.Operations.Get(tx, id); err == nil {
				count(op)
			}
		}
		return nil
	})
	if err != nil {
		q.o.Log.Warn("newly added operations could not be counted", "error", err)
	}
	return running, ready
}
