package engine

import (
	"cmp"
	"slices"
	"strings"

	"ghostlight/engine/comfy"
	"ghostlight/engine/pictures/capture"
	"ghostlight/storage"
)

// Captures lists a chat's captures, newest first; "" lists those of all chats.
func (e *Engine) Captures(chat storage.ChatID) ([]storage.Capture, error) {
	list, err := all(e, "captures", storage.Captures)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c storage.Capture) bool { return chat != "" && c.Chat != chat })
	slices.Reverse(list)
	return list, nil
}

// SaveCapture keeps what the user made of a capture, unsent. What is a picture
// already is refused.
func (e *Engine) SaveCapture(id storage.CaptureID, edit CaptureEdit) error {
	_, err := e.editCapture(id, func(storage.Capture) (CaptureEdit, error) { return edit, nil }, nil)
	return err
}

// SendCapture queues a capture for ComfyUI as the user has edited it. One that is
// a picture already stays what it is: a variant of it is made.
func (e *Engine) SendCapture(id storage.CaptureID, edit CaptureEdit) (storage.Capture, error) {
	return e.sendCapture(id, func(storage.Capture) (CaptureEdit, error) { return edit, nil })
}

// asItStands is what is sent of a draft that nobody changes. It refuses what has
// become a picture meanwhile, of which sending would make another one.
func asItStands(c storage.Capture) (CaptureEdit, error) {
	switch {
	case busy(c):
		return CaptureEdit{}, ErrCaptureBusy
	case c.Status == storage.CaptureCompleted:
		return CaptureEdit{}, refuse("this is a picture already")
	}
	return editOf(c), nil
}

// editOf is a capture's own text as an edit.
func editOf(c storage.Capture) CaptureEdit {
	return CaptureEdit{ImagePrompt: cmp.Or(c.ImagePrompt, c.Prompt), NegativePrompt: c.NegativePrompt, Seed: c.Seed, Workflow: c.Workflow,
		Width: c.Width, Height: c.Height, Camera: c.Camera}
}

// sendCapture is SendCapture with what how makes of the capture as it is when it
// is sent: what was written in the meantime counts.
func (e *Engine) sendCapture(id storage.CaptureID, how func(storage.Capture) (CaptureEdit, error)) (storage.Capture, error) {
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return c, fail("send capture", err)
	}
	edit, err := how(c)
	if err == nil && strings.TrimSpace(edit.ImagePrompt) == "" {
		err = refuse("there is no prompt")
	}
	if err != nil {
		return storage.Capture{}, fail("send capture", err)
	}
	if _, err := e.workflow(edit.Workflow, c.Kind); err != nil {
		return storage.Capture{}, err
	}
	c, err = e.editCapture(id, how, func(tx *storage.Tx, c *storage.Capture) error {
		if strings.TrimSpace(c.ImagePrompt) == "" {
			return refuse("there is no prompt")
		}
		if c.Status == storage.CaptureCompleted {
			*c = e.variantOf(*c)
		}
		c.Status, c.Error, c.Waiting = storage.CaptureGenerating, "", false
		if err := storage.Captures.Put(tx, c.ID, *c); err != nil {
			return err
		}
		return e.addCapture(tx, opCaptureSend, captureParams{Capture: c.ID, Chat: c.Chat})
	})
	if err == nil {
		e.queue.Wake()
	}
	return c, err
}

// variantOf is a new capture of the same moment as one that is a picture.
func (e *Engine) variantOf(c storage.Capture) storage.Capture {
	v := c
	v.ID, v.CreatedAt = storage.CaptureID(storage.NewID()), e.cfg.Now()
	v.From = cmp.Or(c.From, c.ID)
	v.Node, v.ImageID, v.ImagePath, v.ThumbnailPath, v.GenerationTime = "", "", "", "", 0
	v.FinalPrompt, v.Server, v.Job, v.Batch, v.Waiting = "", "", "", "", false
	if c.Wrote != nil {
		wrote := *c.Wrote
		v.Wrote = &wrote
	}
	return v
}

// checkEdit says what no workflow could take of an edit, before it is kept.
func checkEdit(edit CaptureEdit) error {
	for _, text := range []struct{ name, words string }{{"prompt", edit.ImagePrompt}, {"negative prompt", edit.NegativePrompt}} {
		if n := len(text.words); n > comfy.LongestPrompt {
			return refuse("the %s has %d bytes, and %d are the limit: shorten it", text.name, n, comfy.LongestPrompt)
		}
	}
	switch w, h := edit.Width, edit.Height; {
	case min(w, h) < 0 || max(w, h) > comfy.LargestSide:
		return refuse("a width and a height are from 1 to %d pixels, not %d × %d; 0 and 0 leave them to the workflow", comfy.LargestSide, w, h)
	case (w == 0) != (h == 0):
		return refuse("a width goes with a height: name both, or neither")
	case edit.Seed != nil && *edit.Seed < 0:
		return refuse("a seed is not below 0")
	}
	return nil
}

// editCapture keeps what how makes of a capture as it is, and does then with it,
// all at once.
func (e *Engine) editCapture(id storage.CaptureID, how func(storage.Capture) (CaptureEdit, error), then func(*storage.Tx, *storage.Capture) error) (c storage.Capture, err error) {
	err = e.store.Update(func(tx *storage.Tx) error {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if busy(c) {
			return ErrCaptureBusy
		}
		edit, err := how(c)
		if err != nil {
			return err
		}
		if edit.Camera, err = capture.CheckCamera(edit.Camera); err != nil {
			return refuse("%s", err.Error())
		}
		if err := checkEdit(edit); err != nil {
			return err
		}
		before := c
		if c.Status == storage.CaptureCompleted && then == nil {
			return refuse("this is a picture already, and stays what it is: send it, and another one is made")
		}
		c.ImagePrompt, c.NegativePrompt, c.Seed, c.Camera = edit.ImagePrompt, edit.NegativePrompt, edit.Seed, edit.Camera
		c.Workflow, c.Width, c.Height, c.UpdatedAt = edit.Workflow, edit.Width, edit.Height, e.cfg.Now()
		if then != nil {
			if err := then(tx, &c); err != nil {
				return err
			}
		}
		if err := e.captureEdited.Run(tx, CaptureEdited{before, c}); err != nil {
			return err
		}
		return storage.Captures.Put(tx, c.ID, c)
	})
	if err != nil {
		return c, fail("capture", err)
	}
	e.queue.Wake()
	e.tellCapture(c)
	return c, nil
}

// ResendCapture makes the same picture again with a new seed, as a variant of it.
func (e *Engine) ResendCapture(id storage.CaptureID) (storage.Capture, error) {
	return e.sendCapture(id, func(c storage.Capture) (CaptureEdit, error) {
		edit := editOf(c)
		edit.Seed = nil
		return edit, nil
	})
}

// CancelCapture stops the work on a capture; its prompt stays as a draft.
func (e *Engine) CancelCapture(id storage.CaptureID) error {
	var newest, live storage.OperationID
	err := e.store.View(func(tx *storage.Tx) error {
		newest, live = workOn(tx, id)
		return nil
	})
	switch {
	case err != nil:
	case live == "":
		err = refuse("nothing is being done for this capture")
	default:
		err = e.queue.Cancel(live)
	}
	if newest != "" {
		e.settleOne(newest)
	}
	if err != nil {
		return fail("cancel capture", err)
	}
	return nil
}

// workOn finds the newest operation on a capture, and the one that is not finished
// yet, "" for none.
func workOn(tx *storage.Tx, id storage.CaptureID) (newest, live storage.OperationID) {
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

// cancelWork stops what is done for captures, as far as anything is.
func (e *Engine) cancelWork(captures ...storage.Capture) {
	ops, err := e.queue.List()
	if err != nil {
		e.log.Warn("stopping the work on captures failed", "err", err)
		return
	}
	for _, op := range ops {
		if op.Status != storage.Pending && op.Status != storage.InProgress {
			continue
		}
		of := paramsOf(op).Capture
		if of != "" && slices.ContainsFunc(captures, func(c storage.Capture) bool { return c.ID == of }) {
			_ = e.queue.Cancel(op.ID) // it may have ended just now
		}
	}
}

// DeleteCapture removes a capture, its message and its files.
func (e *Engine) DeleteCapture(id storage.CaptureID) error {
	e.cancelWork(storage.Capture{ID: id}) // mostly nothing runs
	var c storage.Capture
	err := e.store.Update(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if c.Node != "" {
			n, err := tx.Node(c.Chat, c.Node)
			if err == nil {
				n.Deleted = true
				err = tx.PutNode(n)
			}
			if err := ignoreMissing(err); err != nil { // its chat may be gone
				return err
			}
		}
		return storage.Captures.Delete(tx, id)
	})
	if err != nil {
		return fail("delete capture", err)
	}
	e.removeFiles(c.ID)
	e.tellCapture(c)
	e.emit(ChatChanged{c.Chat})
	return nil
}

// CaptureEdited is a capture that the user has changed.
type CaptureEdited struct{ Before, Now storage.Capture }
