package pictures

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Captures returns a chat's captures, newest first; "" returns those of all chats.
func (svc *Service) Captures(chat storage.ChatID) ([]storage.Capture, error) {
	list, err := core.All(svc.core, "captures", storage.Captures)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c storage.Capture) bool { return chat != "" && c.Chat != chat })
	slices.Reverse(list)
	return list, nil
}

// SaveCapture stores the user's edits of a capture without sending it. A finished picture is an
// error.
func (svc *Service) SaveCapture(id storage.CaptureID, edit CaptureEdit) error {
	_, err := svc.editCapture(id, func(storage.Capture) (CaptureEdit, error) { return edit, nil }, nil)
	return err
}

// SendCapture queues a capture with the user's edits. For a finished picture it makes a variant.
func (svc *Service) SendCapture(id storage.CaptureID, edit CaptureEdit) (storage.Capture, error) {
	return svc.sendCapture(id, func(storage.Capture) (CaptureEdit, error) { return edit, nil })
}

// unchangedEdit returns the edit for sending a draft unchanged. A finished picture is an error,
// because sending it would make another one.
func unchangedEdit(c storage.Capture) (CaptureEdit, error) {
	switch {
	case isBusy(c):
		return CaptureEdit{}, ErrCaptureBusy
	case c.Status == storage.CaptureCompleted:
		return CaptureEdit{}, failure.Refusef("this capture already has a picture")
	}
	return EditOf(c), nil
}

// EditOf returns the values of a capture as an edit.
func EditOf(c storage.Capture) CaptureEdit {
	return CaptureEdit{ImagePrompt: cmp.Or(c.ImagePrompt, c.Prompt), NegativePrompt: c.NegativePrompt,
		Seed: c.Seed, Workflow: c.Workflow,
		Width: c.Width, Height: c.Height, Camera: c.Camera}
}

// sendCapture is SendCapture with an edit that is computed from the current capture.
func (svc *Service) sendCapture(id storage.CaptureID,
	how func(storage.Capture) (CaptureEdit, error)) (storage.Capture, error) {
	var c storage.Capture
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		c, err = storage.Captures.Get(tx, id)
		return err
	}); err != nil {
		return c, failure.Wrap("send capture", err)
	}
	edit, err := how(c)
	if err == nil && strings.TrimSpace(edit.ImagePrompt) == "" {
		err = failure.Refusef("there is no prompt")
	}
	if err != nil {
		return storage.Capture{}, failure.Wrap("send capture", err)
	}
	flow, err := svc.Workflows.find(edit.Workflow, c.Kind)
	if err == nil && c.Start != nil && edit.Workflow != "" {
		_, err = flow.WithSource()
	}
	if err != nil {
		return storage.Capture{}, err
	}
	c, err = svc.editCapture(id, how, func(tx *storage.Tx, c *storage.Capture) error {
		if strings.TrimSpace(c.ImagePrompt) == "" {
			return failure.Refusef("there is no prompt")
		}
		if c.Status == storage.CaptureCompleted {
			*c = svc.variantOf(*c)
		}
		if err := svc.Workflows.storeLast(tx, c.Kind, c.Workflow); err != nil {
			return err
		}
		*c = nextState(*c, jobEvent{kind: jobSend})
		if err := storage.Captures.Put(tx, c.ID, *c); err != nil {
			return err
		}
		return svc.QueueCapture(tx, OpCaptureSend, CaptureParams{Capture: c.ID, Chat: c.Chat})
	})
	if err == nil {
		svc.core.Queue.Wake()
	}
	return c, err
}

// UnusedValues returns which values of an edited capture its workflow has no input for. It is nil
// if the workflow cannot be used.
func (svc *Service) UnusedValues(id storage.CaptureID, edit CaptureEdit) []string {
	p := &painting{svc: svc}
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if p.C, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		chat, err := storage.Chats.Get(tx, p.C.Chat)
		if err == nil {
			p.who = svc.subjectOf(tx, chat, p.C).Imagery
		}
		return err
	})
	if err != nil {
		return nil
	}
	p.C.Workflow = edit.Workflow
	flow, err := svc.Workflows.find(p.workflowName(), p.C.Kind)
	if err != nil {
		return nil
	}
	return flow.Inspect().Unused(edit.NegativePrompt, edit.Width, edit.Height)
}

// variantOf returns a new draft of the moment of a finished picture.
func (svc *Service) variantOf(c storage.Capture) storage.Capture {
	v := c
	v.ID, v.CreatedAt = storage.CaptureID(storage.NewID()), svc.core.Config.Now()
	v.From = cmp.Or(c.From, c.ID)
	v.Status, v.Error = storage.CaptureDraft, ""
	v.Node, v.ImageID, v.ImagePath, v.ThumbnailPath, v.GenerationTime = "", "", "", "", 0
	v.FinalPrompt, v.Server, v.Job, v.Batch, v.Waiting = "", "", "", "", false
	if c.Wrote != nil {
		wrote := *c.Wrote
		v.Wrote, v.Warnings = &wrote, slices.Clone(wrote.Warnings)
	}
	return v
}

// checkEdit returns an error for values that no workflow can take.
func checkEdit(edit CaptureEdit) error {
	for _, text := range []struct{ name, words string }{{"prompt", edit.ImagePrompt},
		{"negative prompt", edit.NegativePrompt}} {
		if n := len(text.words); n > comfy.MaxPrompt {
			return failure.Refusef("the %s has %d bytes; the limit is %d: shorten it", text.name, n, comfy.MaxPrompt)
		}
	}
	switch w, h := edit.Width, edit.Height; {
	case min(w, h) < 0 || max(w, h) > comfy.MaxSide:
		return failure.Refusef("width and height must be from 1 to %d pixels, not %d × %d; 0 and 0 use the workflow's",
			comfy.MaxSide, w, h)
	case (w == 0) != (h == 0):
		return failure.Refusef("give both width and height, or neither")
	case edit.Seed != nil && *edit.Seed < 0:
		return failure.Refusef("a seed cannot be negative")
	case edit.Strength < 0 || edit.Strength > 1:
		return failure.Refusef("the strength must be from 0 to 1: how much of the picture may change")
	}
	return nil
}

// editCapture applies an edit that is computed from the current capture, and then calls then, in
// one transaction.
func (svc *Service) editCapture(id storage.CaptureID, how func(storage.Capture) (CaptureEdit, error),
	then func(*storage.Tx, *storage.Capture) error) (c storage.Capture, err error) {
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if isBusy(c) {
			return ErrCaptureBusy
		}
		edit, err := how(c)
		if err != nil {
			return err
		}
		if edit.Camera, err = capture.CheckCamera(edit.Camera); err != nil {
			return failure.Refusef("%s", err.Error())
		}
		if err := checkEdit(edit); err != nil {
			return err
		}
		before := c
		if c.Status == storage.CaptureCompleted && then == nil {
			return failure.Refusef(
				"this capture already has a picture, which cannot be changed: send it to generate another one")
		}
		c.ImagePrompt, c.NegativePrompt, c.Seed, c.Camera = edit.ImagePrompt, edit.NegativePrompt,
			edit.Seed, edit.Camera
		c.Workflow, c.Width, c.Height, c.UpdatedAt = edit.Workflow, edit.Width, edit.Height, svc.core.Config.Now()
		if c.Start != nil && edit.Strength > 0 {
			c.Start = &storage.StartImage{Capture: c.Start.Capture, Strength: edit.Strength}
		}
		if then != nil {
			if err := then(tx, &c); err != nil {
				return err
			}
		}
		if err := svc.Edited.Run(tx, CaptureEdited{before, c}); err != nil {
			return err
		}
		return storage.Captures.Put(tx, c.ID, c)
	})
	if err != nil {
		return c, failure.Wrap("capture", err)
	}
	svc.core.Queue.Wake()
	svc.emitCapture(c)
	return c, nil
}

// ResendCapture paints a picture again with a new seed, as a variant.
func (svc *Service) ResendCapture(id storage.CaptureID) (storage.Capture, error) {
	return svc.sendCapture(id, func(c storage.Capture) (CaptureEdit, error) {
		edit := EditOf(c)
		edit.Seed = nil
		return edit, nil
	})
}

// CancelCapture stops the work on a capture; its prompt stays as a draft.
func (svc *Service) CancelCapture(id storage.CaptureID) error {
	var newest, live storage.OperationID
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		newest, live = operationsOn(tx, id)
		return nil
	})
	switch {
	case err != nil:
	case live == "":
		err = failure.Refusef("nothing is running for this capture")
	default:
		err = svc.core.Queue.Withdraw(live)
	}
	if newest != "" {
		svc.ReconcileOne(newest)
	}
	if err != nil {
		return failure.Wrap("cancel capture", err)
	}
	return nil
}

// operationsOn returns the newest operation on a capture and the unfinished one, "" for none.
func operationsOn(tx *storage.Tx, id storage.CaptureID) (newest, live storage.OperationID) {
	for _, op := range storage.Operations.Backward(tx) {
		if paramsOf(op).Capture != id {
			continue
		}
		newest = cmp.Or(newest, op.ID)
		if op.Status == storage.Pending || op.Status == storage.InProgress {
			return newest, op.ID
		}
	}
	return newest, ""
}

// CancelWork stops the work on captures.
func (svc *Service) CancelWork(captures ...storage.Capture) {
	ops, err := svc.core.Queue.List()
	if err != nil {
		svc.core.Log.Warn("stopping the work on captures failed", "err", err)
		return
	}
	for _, op := range ops {
		if op.Status != storage.Pending && op.Status != storage.InProgress {
			continue
		}
		of := paramsOf(op).Capture
		if of != "" && slices.ContainsFunc(captures, func(c storage.Capture) bool { return c.ID == of }) {
			var c storage.Capture
			job := svc.core.Store.View(func(tx *storage.Tx) (err error) {
				c, err = storage.Captures.Get(tx, of)
				return err
			}) == nil && c.Job != ""
			_ = svc.core.Queue.Withdraw(op.ID) // it may have ended just now
			if job {
				svc.withdraw([]storage.Capture{c}) // its record may be deleted next
			}
		}
	}
}

// DeleteCapture removes a capture, its message and its files.
func (svc *Service) DeleteCapture(id storage.CaptureID) error {
	svc.CancelWork(storage.Capture{ID: id}) // usually nothing runs
	var c storage.Capture
	err := svc.core.Store.Update(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if c.Node != "" {
			n, err := tx.Node(c.Chat, c.Node)
			if err == nil {
				n.Deleted = true
				err = tx.PutNode(n)
			}
			if err := failure.IgnoreMissing(err); err != nil { // its chat may be deleted
				return err
			}
		}
		return storage.Captures.Delete(tx, id)
	})
	if err != nil {
		return failure.Wrap("delete capture", err)
	}
	svc.RemoveFiles(c.ID)
	svc.emitCapture(c)
	svc.core.Emit(chats.ChatChanged{Chat: c.Chat})
	return nil
}

// CaptureEdited is an edit of a capture by the user.
type CaptureEdited struct{ Before, Now storage.Capture }
