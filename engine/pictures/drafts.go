package pictures

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
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

// SendDrafts sends captures as they stand, in one go. Those that cannot be sent stay what
// they are.
func (svc *Service) SendDrafts(ids []storage.CaptureID) Sent {
	sent := Sent{Faults: map[storage.CaptureID]error{}}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		if now, err := svc.sendCapture(id, unchangedEdit); err != nil {
			sent.Faults[id] = err
		} else {
			sent.Captures = append(sent.Captures, now)
		}
	}
	return sent
}
