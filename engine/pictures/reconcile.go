package pictures

import (
	"errors"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// captureChanged handles a change of an operation on a capture.
func (svc *Service) captureChanged(op storage.Operation) {
	ended := op.Status != storage.Pending && op.Status != storage.InProgress
	if p := paramsOf(op); p.Capture != "" {
		if op.Status == storage.Failed || op.Status == storage.Cancelled {
			svc.dropPicture(p.Capture)
		}
		svc.reconcile(p.Capture)
		svc.emitOperation(op, p.Capture)
	}
	if op.Type == OpCaptureSend && ended { // it may be the last one, and nothing was painted
		svc.finishPainting(op.ID)
	}
	svc.notifyRequested(op)
}

// emitOperation emits the capture of an operation, and what the operation has made.
func (svc *Service) emitOperation(op storage.Operation, id storage.CaptureID) {
	c, ok := svc.emitStored(id)
	if !ok || op.Status != storage.Completed || op.Type != OpCaptureSend {
		return
	}
	svc.emitExtra(op)
	if op.Result == nil || c.Node == "" {
		return
	}
	var m chats.Message
	shown := false
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return err
		}
		n, err := tx.Node(c.Chat, c.Node)
		if err == nil {
			shown = chats.ShownOn(tx, chat, n.ID)
			m, err = chats.MessageOf(tx, n)
		}
		return err
	}); err == nil && shown {
		svc.core.Emit(chats.MessageAdded{Chat: c.Chat, Message: m})
	}
}

// emitCapture emits the state of a capture.
func (svc *Service) emitCapture(c storage.Capture) {
	svc.core.Emit(CaptureChanged{c})
	svc.emitBatch(c)
}

// emitStored emits a capture as it is stored. It returns false if it was deleted.
func (svc *Service) emitStored(id storage.CaptureID) (c storage.Capture, ok bool) {
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err })
	if err != nil {
		return c, false
	}
	svc.emitCapture(c)
	return c, true
}

// reconcile sets the state of a capture, or of all for "", by its newest operation, and returns
// the changed ones. Events of the queue may be outdated or lost, so that the current state of the
// operation is read.
func (svc *Service) reconcile(only storage.CaptureID) (changed []storage.Capture) {
	var late []storage.Capture
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) { late, err = findStale(tx, only); return err })
	if err == nil && len(late) > 0 {
		err = svc.core.Store.Update(func(tx *storage.Tx) (err error) {
			if changed, err = findStale(tx, only); err != nil {
				return err
			}
			for i := range changed {
				if err := svc.putReconciled(tx, &changed[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		svc.core.Log.Warn("bringing captures in line failed", "capture", only, "err", err)
		return nil
	}
	return changed
}

// putReconciled stores a reconciled capture and runs Failed if it has failed.
func (svc *Service) putReconciled(tx *storage.Tx, c *storage.Capture) error {
	c.UpdatedAt = svc.core.Config.Now()
	if err := storage.Captures.Put(tx, c.ID, *c); err != nil || c.Status != storage.CaptureFailed {
		return err
	}
	return svc.Failed.Run(tx, *c)
}

// findStale returns the captures that say something else than their newest operation, as
// that has them: of all, or of one.
func findStale(tx *storage.Tx, only storage.CaptureID) (late []storage.Capture, err error) {
	newest := map[storage.CaptureID]storage.Operation{} // zero for none
	for _, op := range storage.Operations.Backward(tx) {
		id := paramsOf(op).Capture
		if _, have := newest[id]; !have {
			newest[id] = op
		}
		if only != "" && id == only {
			break
		}
	}
	add := func(c storage.Capture) {
		if now := withOperation(c, newest[c.ID]); now.Status != c.Status || now.Error != c.Error {
			late = append(late, now)
		}
	}
	if only != "" {
		c, err := storage.Captures.Get(tx, only)
		if errors.Is(err, storage.ErrNotFound) {
			return nil, nil
		}
		add(c)
		return late, err
	}
	for _, c := range storage.Captures.All(tx) {
		add(c)
	}
	return late, nil
}

// ReconcileAll handles changes of the queue that were not reported, because the process had ended.
func (svc *Service) ReconcileAll() {
	for _, c := range svc.reconcile("") {
		svc.emitCapture(c)
	}
	svc.withdrawAbandoned("")
}

// ReconcileOne is ReconcileAll for one operation, which is faster; "" means all.
func (svc *Service) ReconcileOne(id storage.OperationID) {
	if id == "" {
		svc.ReconcileAll()
		return
	}
	var op storage.Operation
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		op, err = storage.Operations.Get(tx, id)
		return err
	})
	p := paramsOf(op)
	if err != nil || p.Capture == "" {
		return // there is none
	}
	svc.reconcile(p.Capture)
	svc.emitStored(p.Capture)
	svc.withdrawAbandoned(p.Capture)
}
