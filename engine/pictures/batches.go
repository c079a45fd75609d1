package pictures

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxBatch is the number of captures that a batch can have.
const maxBatch = 200

// batchPriority is lower than that of other work.
const batchPriority = 5

// CaptureBatch asks for the prompts of several captures. Several angles of one moment take one
// call of the model.
func (svc *Service) CaptureBatch(chat storage.ChatID, r BatchRequest) (BatchView, error) {
	b := storage.Batch{By: r.By, OneSeed: r.OneSeed, Keep: r.Keep}
	if r.By == storage.ByEvery {
		b.Every = r.Every
	}
	return svc.MakeBatch("capture batch", chat, b,
		func(tx *storage.Tx, c storage.Chat, b storage.BatchID) (made []storage.Capture, err error) {
			one := CaptureRequest{Kind: r.Kind, Camera: r.Camera, Words: r.Words, Focus: r.Focus}
			if err := svc.CheckRequest(tx, c, &one); err != nil {
				return nil, err
			}
			if r.At != "" && r.By != storage.ByAngles {
				return nil, failure.Refusef("only a batch of angles can be of one message: leave out the message")
			}
			if r.At != "" && !chats.ShownOn(tx, c, r.At) {
				return nil, failure.Refusef("this message is not on the current branch: go to it first")
			}
			shots, err := batchShots(tx, c, r, one.Camera)
			if err != nil {
				return nil, err
			}
			for _, s := range shots {
				one.Camera = s.camera
				taken, err := svc.StoreCapture(tx, c, s.at, one, b)
				if err != nil {
					return nil, err
				}
				p := CaptureParams{Capture: taken.ID, Chat: chat, Camera: one.Words}
				if r.By == storage.ByAngles {
					p.Moment = b
				}
				if err := svc.QueueCapture(tx, OpCapturePrompt, p); err != nil {
					return nil, err
				}
				made = append(made, taken)
			}
			return made, nil
		})
}

// MakeBatch stores a batch with the captures that take stores, and emits both.
func (svc *Service) MakeBatch(step string, chat storage.ChatID, b storage.Batch,
	take func(*storage.Tx, storage.Chat, storage.BatchID) ([]storage.Capture, error)) (v BatchView, err error) {
	b.ID, b.CreatedAt = storage.BatchID(storage.NewID()), svc.core.Config.Now()
	var made []storage.Capture
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if made, err = take(tx, c, b.ID); err != nil {
			return err
		}
		b.Captures = nil
		for _, c := range made {
			b.Captures = append(b.Captures, c.ID)
		}
		return storage.Batches.Put(tx, chat, b)
	})
	if err != nil {
		return v, failure.Wrap(step, err)
	}
	svc.core.Queue.Wake()
	for _, c := range made {
		svc.core.Emit(CaptureChanged{c})
	}
	if v, err = svc.Batch(chat, b.ID); err != nil {
		return v, failure.Wrap(step, err)
	}
	svc.core.Emit(BatchChanged{v})
	return v, nil
}

// batchShot is one capture of a batch: its message and camera.
type batchShot struct {
	at     storage.NodeID
	camera storage.Camera
}

// batchShots returns the captures that a request asks for.
func batchShots(tx *storage.Tx, c storage.Chat, r BatchRequest, camera storage.Camera) (out []batchShot, err error) {
	switch r.By {
	case storage.ByAngles:
		out, err = shotsByAngle(cmp.Or(r.At, c.Head), r.Angles, camera)
	case storage.ByScenes:
		for _, s := range scenes.SpansOf(tx, c.ID, c.Head) {
			if s.Messages > 0 {
				out = append(out, batchShot{s.Last.ID, camera})
			}
		}
	case storage.ByEvery:
		out, err = shotsEvery(tx, c, r.Every, camera)
	default:
		return nil, failure.Refusef("a batch must be of angles, scenes or every few messages, not %q",
			failure.FirstRunes(string(r.By), 40))
	}
	switch {
	case err != nil:
		return nil, err
	case len(out) == 0:
		return nil, failure.Refusef("there are no messages yet")
	case len(out) > maxBatch:
		return nil, failure.Refusef(
			"this would be %d captures; the limit is %d: choose fewer, or more messages between them",
			len(out), maxBatch)
	}
	return out, chats.CheckHasMessages(tx, c.ID, out[0].at)
}

func shotsByAngle(at storage.NodeID, angles []string, camera storage.Camera) (out []batchShot, err error) {
	if len(angles) == 0 {
		angles = capture.DefaultAngles()
	}
	for _, key := range angles {
		var one storage.Camera
		if err := capture.CameraFields.Set(&one, "angle", key); err != nil {
			return nil, err
		}
		if one.Angle == "" {
			return nil, failure.Refusef("an angle needs a name, such as low or behind")
		}
		if seen := (batchShot{at, capture.Override(camera, one)}); !slices.Contains(out, seen) {
			out = append(out, seen)
		}
	}
	return out, nil
}

// shotsEvery returns every n-th message of the path, counted from its beginning.
func shotsEvery(tx *storage.Tx, c storage.Chat, every int, camera storage.Camera) (out []batchShot, err error) {
	if every < 1 {
		return nil, failure.Refusef("give the number of messages between captures: at least 1")
	}
	var said []storage.NodeID // newest first
	for p := range tx.PathInfos(c.ID, c.Head) {
		if p.InStory() && !p.Deleted {
			said = append(said, p.ID)
		}
	}
	if len(said) > 0 && len(said) < every {
		return nil, failure.Refusef("the chat has %s, fewer than the %d between two captures",
			failure.Count(len(said), "message"), every)
	}
	for i := len(said) - every; i >= 0; i -= every {
		out = append(out, batchShot{said[i], camera})
	}
	return out, nil
}

// Batches returns a chat's batches, newest first.
func (svc *Service) Batches(chat storage.ChatID) ([]BatchView, error) {
	var list []storage.Batch
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if _, err := storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		for _, b := range storage.Batches.All(tx, chat) {
			list = append(list, b)
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("batches", err)
	}
	slices.Reverse(list)
	out := []BatchView{}
	for _, b := range list {
		v, err := svc.batchView(chat, b)
		if err != nil {
			return nil, failure.Wrap("batches", err)
		}
		out = append(out, v)
	}
	return out, nil
}

// FindBatch finds a batch of any chat by its ID or a prefix of it.
func (svc *Service) FindBatch(text string) (BatchView, error) {
	var found storage.Batch
	var owner storage.ChatID
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		var ids []core.Named
		chats := map[string]storage.ChatID{}
		for chat := range storage.Chats.All(tx) {
			for id := range storage.Batches.All(tx, chat) {
				ids = append(ids, core.Named{ID: string(id)})
				chats[string(id)] = chat
			}
		}
		id, err := core.Resolve("batch", text, ids)
		if err != nil {
			return err
		}
		owner = chats[id]
		found, err = storage.Batches.Get(tx, owner, storage.BatchID(id))
		return err
	})
	if err != nil {
		return BatchView{}, failure.Wrap("batch", err)
	}
	v, err := svc.batchView(owner, found)
	if err != nil {
		return v, failure.Wrap("batch", err)
	}
	return v, nil
}

// Batch returns a batch of a chat with its current counts.
func (svc *Service) Batch(chat storage.ChatID, id storage.BatchID) (BatchView, error) {
	var b storage.Batch
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		b, err = storage.Batches.Get(tx, chat, id)
		return err
	}); err != nil {
		return BatchView{}, err
	}
	return svc.batchView(chat, b)
}

// batchView counts the states of the captures of a batch.
func (svc *Service) batchView(chat storage.ChatID, b storage.Batch) (BatchView, error) {
	v := BatchView{Batch: b, Chat: chat}
	known := true
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		kept := timings(tx)
		for _, id := range b.Captures {
			c, err := storage.Captures.Get(tx, id)
			if errors.Is(err, storage.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			v.Total++
			switch c.Status {
			case storage.CapturePrompting:
				v.Prompting++
			case storage.CaptureDraft:
				v.Drafts++
			case storage.CaptureGenerating:
				v.Painting++
				took := svc.expected(tx, kept, c)
				v.Left += took
				known = known && took > 0
			case storage.CaptureCompleted:
				v.Done++
			case storage.CaptureFailed:
				v.Failed++
			}
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	if !known {
		v.Left = 0
	}
	if servers := len(svc.models.Comfy); servers > 1 {
		v.Left /= time.Duration(min(servers, max(1, v.Painting)))
	}
	return v, nil
}

// emitBatch emits the batch of a changed capture, and the continuity sheet if a finished picture
// may have changed it.
func (svc *Service) emitBatch(c storage.Capture) {
	if c.Status == storage.CaptureCompleted && c.Wrote != nil && len(c.Wrote.Shows) > 0 {
		svc.Continuity.emitChanged(c.Chat)
	}
	if c.Batch == "" {
		return
	}
	v, err := svc.Batch(c.Chat, c.Batch)
	if errors.Is(err, storage.ErrNotFound) {
		return // its chat is gone
	}
	if err != nil {
		svc.core.Log.Warn("counting a batch failed", "batch", c.Batch, "err", err)
		return
	}
	svc.core.Emit(BatchChanged{v})
}

// SendBatch sends all drafts of a batch unchanged. Those that cannot be sent stay drafts.
func (svc *Service) SendBatch(chat storage.ChatID, id storage.BatchID) (SendResult, error) {
	var drafts []storage.CaptureID
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := storage.Batches.Get(tx, chat, id)
		if err != nil {
			return err
		}
		for _, id := range b.Captures {
			if c, err := storage.Captures.Get(tx, id); err == nil && c.Status == storage.CaptureDraft {
				drafts = append(drafts, id)
			}
		}
		return nil
	})
	if err == nil && len(drafts) == 0 {
		err = failure.Refusef("nothing in this batch is waiting to be sent")
	}
	if err != nil {
		return SendResult{}, failure.Wrap("send batch", err)
	}
	return svc.SendDrafts(drafts), nil
}

// CancelBatch stops the work on all captures of a batch and returns their number. Prompts that
// were written stay as drafts.
func (svc *Service) CancelBatch(chat storage.ChatID, id storage.BatchID) (int, error) {
	var b storage.Batch
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		b, err = storage.Batches.Get(tx, chat, id)
		return err
	}); err != nil {
		return 0, failure.Wrap("cancel batch", err)
	}
	ops, err := svc.core.Queue.List()
	if err != nil {
		return 0, failure.Wrap("cancel batch", err)
	}
	defer svc.ReconcileAll()
	stopped := map[storage.CaptureID]bool{}
	for _, op := range slices.Backward(ops) { // those that wait first, so that none of them starts
		of := paramsOf(op).Capture
		if op.Status != storage.Pending && op.Status != storage.InProgress || !slices.Contains(b.Captures, of) {
			continue
		}
		if err := svc.core.Queue.Withdraw(op.ID); errors.Is(err, queue.ErrFinished) {
			continue
		} else if err != nil {
			return len(stopped), failure.Wrap("cancel batch", err)
		}
		stopped[of] = true
	}
	if len(stopped) == 0 {
		return 0, failure.Wrap("cancel batch", failure.Refusef("nothing in this batch is in progress"))
	}
	return len(stopped), nil
}
