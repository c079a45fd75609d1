package engine

import (
	"cmp"
	"slices"
	"strings"

	"ghostlight/engine/capture"
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

// SaveCapture keeps what the user made of a capture, unsent.
func (e *Engine) SaveCapture(id storage.CaptureID, edit CaptureEdit) error {
	_, err := e.editCapture(id, edit, nil)
	return err
}

// SendCapture queues a capture for ComfyUI as the user has edited it. One that is
// a picture already stays what it is: a variant of it is made.
func (e *Engine) SendCapture(id storage.CaptureID, edit CaptureEdit) (storage.Capture, error) {
	if strings.TrimSpace(edit.ImagePrompt) == "" {
		return storage.Capture{}, fail("send capture", refuse("there is no prompt"))
	}
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return c, fail("send capture", err)
	}
	if _, err := e.workflow(edit.Workflow, c.Kind); err != nil {
		return storage.Capture{}, err
	}
	c, err := e.editCapture(id, edit, func(tx *storage.Tx, c *storage.Capture) error {
		if c.Status == storage.CaptureCompleted {
			*c = e.variantOf(*c)
		}
		c.Status, c.Error, c.Waiting = storage.CaptureGenerating, "", false
		if err := storage.Captures.Put(tx, c.ID, *c); err != nil {
			return err
		}
		return e.addOperation(tx, opCaptureSend, laneComfy, captureParams{Capture: c.ID, Chat: c.Chat})
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

func (e *Engine) editCapture(id storage.CaptureID, edit CaptureEdit, then func(*storage.Tx, *storage.Capture) error) (c storage.Capture, err error) {
	if edit.Camera, err = capture.CheckCamera(edit.Camera); err != nil {
		return c, fail("capture", refuse("%s", err.Error()))
	}
	err = e.store.Update(func(tx *storage.Tx) error {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if busy(c) {
			return ErrCaptureBusy
		}
		before := c
		if c.Status == storage.CaptureCompleted && then == nil {
			return nil // a picture stays what it is
		}
		c.ImagePrompt, c.NegativePrompt, c.Seed, c.Camera = edit.ImagePrompt, edit.NegativePrompt, edit.Seed, edit.Camera
		c.Workflow, c.Width, c.Height, c.UpdatedAt = edit.Workflow, edit.Width, edit.Height, e.cfg.Now()
		if then != nil {
			if err := then(tx, &c); err != nil {
				return err
			}
		}
		if err := e.keepEdit(tx, before, c); err != nil {
			return err
		}
		return storage.Captures.Put(tx, c.ID, c)
	})
	if err != nil {
		return c, fail("capture", err)
	}
	e.tellCapture(c)
	return c, nil
}

// ResendCapture makes the same picture again with a new seed, as a variant of it.
func (e *Engine) ResendCapture(id storage.CaptureID) (storage.Capture, error) {
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return c, fail("send again", err)
	}
	return e.SendCapture(id, CaptureEdit{ImagePrompt: cmp.Or(c.ImagePrompt, c.Prompt), NegativePrompt: c.NegativePrompt, Workflow: c.Workflow,
		Width: c.Width, Height: c.Height, Camera: c.Camera})
}

// CancelCapture stops the work on a capture; its prompt stays as a draft.
func (e *Engine) CancelCapture(id storage.CaptureID) error {
	defer e.steered()
	return e.cancelWork(id)
}

func (e *Engine) cancelWork(id storage.CaptureID) error {
	ops, err := e.queue.List()
	if err != nil {
		return fail("cancel capture", err)
	}
	for _, op := range ops {
		if paramsOf(op).Capture == id && (op.Status == storage.Pending || op.Status == storage.InProgress) {
			return e.queue.Cancel(op.ID)
		}
	}
	return fail("cancel capture", ErrNothing)
}

// DeleteCapture removes a capture, its message and its files.
func (e *Engine) DeleteCapture(id storage.CaptureID) error {
	_ = e.cancelWork(id) // mostly nothing runs
	var c storage.Capture
	err := e.store.Update(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if c.Node != "" {
			n, err := tx.Node(c.Chat, c.Node)
			if err != nil {
				return err
			}
			n.Deleted = true
			if err := tx.PutNode(n); err != nil {
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
