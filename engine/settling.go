package engine

import (
	"encoding/json"

	"ghostlight/storage"
)

// operationChanged follows an operation: its capture shows where it stands.
func (e *Engine) operationChanged(op storage.Operation) {
	p := paramsOf(op)
	if p.Capture != "" {
		e.followCapture(op, p)
	}
	e.sceneOperation(op)
	e.emit(OperationChanged{op})
	e.warmSoon()
}

// sceneOperation tells what an operation on scenes has come to.
func (e *Engine) sceneOperation(op storage.Operation) {
	switch op.Type {
	case opLoreLookup, opLoreResolve, opLoreMerge, opLoreCompact:
		if op.Status == storage.Completed {
			e.emit(LoreChanged{Chat: loreParamsOf(op).Chat})
		}
		return
	case opAfterTurn:
		e.tellDirected()
		if op.Status == storage.Completed {
			e.emit(MemoriesChanged{e.scopeIn(sceneParamsOf(op).Chat)})
		}
		e.emit(DirectorChanged{sceneParamsOf(op).Chat})
	case opDetect, opDetectAll, opRecap, opRunning, opMessage, opJoin, opExam:
	default:
		return
	}
	e.tellDetected()
	e.tellStale()
	e.emit(ScenesChanged{sceneParamsOf(op).Chat})
	var r recapResult
	if op.Status != storage.Completed || json.Unmarshal(op.Result, &r) != nil || !r.Reused || op.Type == opRunning {
		return
	}
	e.emit(Notice{Info, reusedWords("recap")})
}

func (e *Engine) followCapture(op storage.Operation, p captureParams) {
	if op.Status == storage.Failed || op.Status == storage.Cancelled {
		e.dropPicture(p.Capture)
	}
	e.settleCaptures(p.Capture)
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, p.Capture); return err }); err != nil {
		return // deleted meanwhile
	}
	e.emit(CaptureChanged{c})
	if op.Status != storage.Completed || op.Type != opCaptureSend || op.Result == nil {
		return
	}
	var m Message
	if err := e.store.View(func(tx *storage.Tx) error {
		n, err := tx.Node(c.Chat, c.Node)
		if err == nil {
			m, err = messageOf(tx, n)
		}
		return err
	}); err == nil {
		e.emit(MessageAdded{c.Chat, m})
	}
}

// settled is a capture as its newest operation has it. A completed operation has
// written the capture itself.
func settled(c storage.Capture, op storage.Operation) storage.Capture {
	switch op.Status {
	case storage.Pending, storage.InProgress:
		if c.Status != storage.CaptureCompleted {
			c.Status, c.Error = storage.CapturePrompting, ""
			if op.Type == opCaptureSend {
				c.Status = storage.CaptureGenerating
			}
		}
	case storage.Failed:
		if busy(c) {
			c.Status, c.Error = storage.CaptureFailed, op.Error
		}
	default:
		if busy(c) {
			c.Status, c.Error = storage.CaptureDraft, ""
		}
	}
	return c
}

// busy tells whether a capture is being worked on, by its record.
func busy(c storage.Capture) bool {
	return c.Status == storage.CapturePrompting || c.Status == storage.CaptureGenerating
}

// settleCaptures brings a capture in line with the queue, "" all of them, and
// returns those that it changed. What counts is how the newest operation stands
// now: the queue's news may be old, and nobody may have heard it.
func (e *Engine) settleCaptures(only storage.CaptureID) (changed []storage.Capture) {
	var late map[storage.CaptureID]storage.Operation
	err := e.store.View(func(tx *storage.Tx) error { late = unsettled(tx, only); return nil })
	if err == nil && len(late) > 0 {
		err = e.store.Update(func(tx *storage.Tx) error {
			changed = nil
			for id, op := range unsettled(tx, only) {
				c, err := storage.Captures.Get(tx, id)
				if err != nil {
					return err
				}
				c = settled(c, op)
				c.UpdatedAt = e.cfg.Now()
				if err := storage.Captures.Put(tx, id, c); err != nil {
					return err
				}
				changed = append(changed, c)
			}
			return nil
		})
	}
	if err != nil {
		e.log.Warn("bringing captures in line failed", "err", err)
		return nil
	}
	return changed
}

// unsettled finds captures that say something else than their newest operation,
// which is zero where there is none.
func unsettled(tx *storage.Tx, only storage.CaptureID) map[storage.CaptureID]storage.Operation {
	newest, late := map[storage.CaptureID]storage.Operation{}, map[storage.CaptureID]storage.Operation{}
	for _, op := range storage.Operations.Backward(tx) {
		id := paramsOf(op).Capture
		if _, have := newest[id]; !have && (only == "" || id == only) {
			newest[id] = op
		}
		if only != "" && id == only {
			break
		}
	}
	look := func(c storage.Capture) {
		if now := settled(c, newest[c.ID]); now.Status != c.Status || now.Error != c.Error {
			late[c.ID] = newest[c.ID]
		}
	}
	if only != "" {
		if c, err := storage.Captures.Get(tx, only); err == nil {
			look(c)
		}
		return late
	}
	for _, c := range storage.Captures.All(tx) {
		look(c)
	}
	return late
}

// steered follows a change to the queue that it may have told nobody of: it was
// not running, or the process died before anybody heard.
func (e *Engine) steered() {
	for _, c := range e.settleCaptures("") {
		e.emit(CaptureChanged{c})
	}
}

// scopeIn is whose story a chat belongs to, "" where that cannot be read.
func (e *Engine) scopeIn(chat storage.ChatID) storage.ScopeID {
	scope, err := e.ScopeOf(chat)
	if err != nil {
		return ""
	}
	return scope
}
