package pictures

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// WaitingDrafts are captures that were sent while no server was there, of a chat
// or with "" of all, oldest first.
func (svc *Service) WaitingDrafts(chat storage.ChatID) ([]storage.Capture, error) {
	list, err := core.All(svc.core, "waiting drafts", storage.Captures)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(c storage.Capture) bool {
		return c.Status != storage.CaptureDraft || !c.Waiting || chat != "" && c.Chat != chat
	}), nil
}

// SendDrafts sends captures as they stand, in one go. Those that cannot be sent
// stay what they are. Several of one chat become a batch, so that it can be seen
// how far they are.
func (svc *Service) SendDrafts(ids []storage.CaptureID) (Sent, error) {
	sent := Sent{Faults: map[storage.CaptureID]error{}}
	drafts, err := svc.markSent(ids, sent.Faults)
	if err != nil {
		return Sent{}, failure.Fail("send drafts", err)
	}
	for _, c := range drafts {
		now, err := svc.sendCapture(c.ID, asItStands)
		if err != nil {
			sent.Faults[c.ID] = err
			svc.waitAgain(c)
			continue
		}
		sent.Captures = append(sent.Captures, now)
	}
	return sent, nil
}

// markSent finds the drafts among captures and makes batches of them. They do not
// wait any more. What is no draft goes to faults. The drafts are returned as they
// were.
func (svc *Service) markSent(ids []storage.CaptureID, faults map[storage.CaptureID]error) (drafts []storage.Capture, err error) {
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		drafts = nil
		clear(faults)
		byChat := map[storage.ChatID][]storage.CaptureID{}
		for _, id := range ids {
			c, err := storage.Captures.Get(tx, id)
			switch {
			case errors.Is(err, storage.ErrNotFound):
				faults[id] = err
			case err != nil:
				return err
			case busy(c):
				faults[id] = ErrCaptureBusy
			case c.Status == storage.CaptureCompleted:
				faults[id] = failure.Refuse("this already has a picture")
			case !slices.Contains(byChat[c.Chat], id):
				drafts = append(drafts, c)
				byChat[c.Chat] = append(byChat[c.Chat], id)
			}
		}
		batches := map[storage.ChatID]storage.BatchID{}
		for chat, list := range byChat {
			if len(list) < 2 {
				continue
			}
			b := storage.Batch{ID: storage.BatchID(storage.NewID()), By: storage.ByDrafts, Captures: list, CreatedAt: svc.core.Config.Now()}
			if err := storage.Batches.Put(tx, chat, b); err != nil {
				return err
			}
			batches[chat] = b.ID
		}
		for _, c := range drafts {
			c.Waiting, c.Batch = false, cmp.Or(c.Batch, batches[c.Chat])
			if err := storage.Captures.Put(tx, c.ID, c); err != nil {
				return err
			}
		}
		return nil
	})
	return drafts, err
}

// waitAgain puts a draft back among those that wait, as it could not be sent.
func (svc *Service) waitAgain(was storage.Capture) {
	if !was.Waiting {
		return
	}
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, was.ID)
		if err != nil || c.Status != storage.CaptureDraft {
			return nil // deleted, or sent by somebody else
		}
		c.Waiting = true
		return storage.Captures.Put(tx, c.ID, c)
	})
	if err != nil {
		svc.core.Log.Warn("keeping a draft among those that wait failed", "capture", was.ID, "err", err)
	}
}
