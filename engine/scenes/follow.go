package scenes

import (
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// FollowHead hides a break that was detected in a reply which is no longer on the path, and shows
// it again with that reply. Its recaps are kept. Errors are ignored, so that moving the head never
// fails.
func (svc *Service) FollowHead(tx *storage.Tx, m chats.HeadMove) error {
	err := svc.followHead(tx, m)
	if failure.Damaged(err) {
		svc.core.Log.Error("scene detection after a branch change failed", "chat", m.Chat.ID, "err", err)
		return nil
	}
	return err
}

func (svc *Service) followHead(tx *storage.Tx, m chats.HeadMove) error {
	at, below, err := forkPoint(tx, m.Chat.ID, m.From, m.Chat.Head)
	if err != nil || at.ID == "" || !storage.Breaks.Has(tx, m.Chat.ID, at.ID) {
		return err
	}
	b, err := storage.Breaks.Get(tx, m.Chat.ID, at.ID)
	if err != nil || len(b.DetectedFrom) == 0 || b.Hidden && !b.OffPath {
		return err
	}
	away := !slices.ContainsFunc(b.DetectedFrom, func(id storage.NodeID) bool { return below[id] })
	if away == b.OffPath {
		return nil
	}
	b.Hidden, b.OffPath = away, away
	if err := storage.Breaks.Put(tx, m.Chat.ID, b); err != nil {
		return err
	}
	return svc.touchScenes(tx, m.Chat.ID, at.ID)
}

// forkPoint returns the last shown message that two paths share, and the messages that only the
// second has after it. Only there can a break be on one path and not on the other.
func forkPoint(
	tx *storage.Tx, chat storage.ChatID, a, b storage.NodeID,
) (at storage.NodeInfo, below map[storage.NodeID]bool, err error) {
	below = map[storage.NodeID]bool{}
	left, err := tx.NodeInfo(chat, a)
	if err == nil {
		at, err = tx.NodeInfo(chat, b)
	}
	for err == nil && (left.ID != at.ID || at.Deleted && at.Parent != "") {
		switch {
		case left.ID == at.ID:
			below[at.ID] = true
			at, err = tx.NodeInfo(chat, at.Parent)
			left = at
		case at.Depth > left.Depth:
			below[at.ID] = true
			at, err = tx.NodeInfo(chat, at.Parent)
		case left.Parent == "":
			return storage.NodeInfo{}, nil, nil // two beginnings
		default:
			left, err = tx.NodeInfo(chat, left.Parent)
		}
	}
	if err != nil {
		return storage.NodeInfo{}, nil, ignoreGone(err)
	}
	return at, below, nil
}

func ignoreGone(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}
