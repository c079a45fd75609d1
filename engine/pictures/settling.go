package pictures

import (
	"errors"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// captureChanged follows an operation on a capture, which shows where it stands.
func (svc *Service) captureChanged(op storage.Operation) {
	if p := paramsOf(op); p.Capture != "" {
		svc.followCapture(op, p)
	}
	svc.releaseUnused(op)
	svc.askedOperation(op)
}

func (svc *Service) followCapture(op storage.Operation, p CaptureParams) {
	if op.Status == storage.Failed || op.Status == storage.Cancelled {
		svc.dropPicture(p.Capture)
	}
	svc.settleCapture(p.Capture, op)
	var c storage.Capture
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, p.Capture); return err }); err != nil {
		return // deleted meanwhile
	}
	svc.tellCapture(c)
	if op.Status == storage.Completed && op.Type == OpCaptureSend {
		svc.tellMore(op)
	}
	if op.Status != storage.Completed || op.Type != OpCaptureSend || op.Result == nil || c.Node == "" {
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

// tellCapture tells followers where a capture stands now.
func (svc *Service) tellCapture(c storage.Capture) {
	svc.core.Emit(CaptureChanged{c})
	svc.tellBatch(c)
}

// settleCapture brings a capture in line with an operation of which there is news,
// if that is the newest one that works on it: the news may be old, so what counts
// is how the operation stands now.
func (svc *Service) settleCapture(id storage.CaptureID, news storage.Operation) {
	var c storage.Capture
	look := func(tx *storage.Tx) (changes bool, err error) {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return false, failure.IgnoreMissing(err)
		}
		op, err := storage.Operations.Get(tx, news.ID)
		if errors.Is(err, storage.ErrNotFound) {
			op, err = news, nil // forgotten since
		}
		if err != nil {
			return false, err
		}
		now := settled(c, op)
		if now.Status == c.Status && now.Error == c.Error {
			return false, nil
		}
		c = now
		return !overtaken(tx, op, id), nil
	}
	var changes bool
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) { changes, err = look(tx); return err })
	if err == nil && changes {
		err = svc.core.Store.Update(func(tx *storage.Tx) error {
			if changes, err := look(tx); err != nil || !changes {
				return err
			}
			return svc.putSettled(tx, c)
		})
	}
	if err != nil {
		svc.core.Log.Warn("bringing a capture in line failed", "capture", id, "err", err)
	}
}

// putSettled stores a capture that was brought in line, with what follows where it has
// failed.
func (svc *Service) putSettled(tx *storage.Tx, c storage.Capture) error {
	c.UpdatedAt = svc.core.Config.Now()
	if err := storage.Captures.Put(tx, c.ID, c); err != nil || c.Status != storage.CaptureFailed {
		return err
	}
	return svc.Failed.Run(tx, c)
}

// overtaken tells whether a newer operation works on a capture. Only those newer
// are looked at.
func overtaken(tx *storage.Tx, than storage.Operation, id storage.CaptureID) bool {
	for _, op := range storage.Operations.Backward(tx) {
		if op.ID <= than.ID {
			return false
		}
		if paramsOf(op).Capture == id {
			return true
		}
	}
	return false
}

// settleCaptures brings all captures in line with the queue and returns those that
// it changed. What counts is how the newest operation stands now: nobody may have
// heard the queue's news.
func (svc *Service) settleCaptures() (changed []storage.Capture) {
	var late map[storage.CaptureID]storage.Operation
	err := svc.core.Store.View(func(tx *storage.Tx) error { late = unsettled(tx); return nil })
	if err == nil && len(late) > 0 {
		err = svc.core.Store.Update(func(tx *storage.Tx) error {
			changed = nil
			for id, op := range unsettled(tx) {
				c, err := storage.Captures.Get(tx, id)
				if err != nil {
					return err
				}
				c = settled(c, op)
				if err := svc.putSettled(tx, c); err != nil {
					return err
				}
				changed = append(changed, c)
			}
			return nil
		})
	}
	if err != nil {
		svc.core.Log.Warn("bringing captures in line failed", "err", err)
		return nil
	}
	return changed
}

// unsettled finds captures that say something else than their newest operation,
// which is zero where there is none.
func unsettled(tx *storage.Tx) map[storage.CaptureID]storage.Operation {
	newest, late := map[storage.CaptureID]storage.Operation{}, map[storage.CaptureID]storage.Operation{}
	for _, op := range storage.Operations.Backward(tx) {
		id := paramsOf(op).Capture
		if _, have := newest[id]; !have {
			newest[id] = op
		}
	}
	for _, c := range storage.Captures.All(tx) {
		if now := settled(c, newest[c.ID]); now.Status != c.Status || now.Error != c.Error {
			late[c.ID] = newest[c.ID]
		}
	}
	return late
}

// SettleAll follows changes to the queue that it may have told nobody of: it was
// not running, or the process died before anybody heard.
func (svc *Service) SettleAll() {
	for _, c := range svc.settleCaptures() {
		svc.tellCapture(c)
	}
	svc.withdrawLeft("")
}

// SettleOne is settleAll for one operation, which the user has changed, all for "":
// the look at all captures is long where there are many.
func (svc *Service) SettleOne(id storage.OperationID) {
	if id == "" {
		svc.SettleAll()
		return
	}
	var op storage.Operation
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) { op, err = storage.Operations.Get(tx, id); return err }); err != nil {
		return // there is none
	}
	p := paramsOf(op)
	if p.Capture == "" {
		return
	}
	svc.settleCapture(p.Capture, op)
	var c storage.Capture
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, p.Capture); return err }); err == nil {
		svc.tellCapture(c)
	}
	svc.withdrawLeft(p.Capture)
}
