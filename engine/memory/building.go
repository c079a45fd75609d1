package memory

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// OpIndex is the operation that takes the words of a long story on shelves, by which it is
// found what was said long ago.
const OpIndex = "index_story"

// laneIndex is the lane of it: it asks no model, and waits for none.
const laneIndex = "index"

// indexParams are the params of OpIndex.
type indexParams struct {
	Chat storage.ChatID `json:"chat"`
}

// Work are the kinds of work on what a play knows.
func (svc *Service) Work() []house.Work {
	return []house.Work{{Name: OpIndex, Lane: func(*storage.Tx) string { return laneIndex }, Endless: true, Run: svc.runIndex}, svc.meaningWork()}
}

// Prepare has the words of a chat's messages taken on shelves in the background, where that
// is more than a turn does without. It is for when a chat is opened; what is done, or being
// done, is not begun again.
func (svc *Service) Prepare(chat storage.ChatID) {
	st := svc.story(chat)
	st.mu.Lock()
	st.opened = true
	st.mu.Unlock()
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil || !svc.lacking(tx, c) {
			return err
		}
		return svc.queueIndex(tx, chat)
	})
	if failure.IgnoreMissing(err) != nil {
		svc.core.Log.Warn("the story is not read into the index", "chat", chat, "err", err)
	}
	svc.core.Queue.Wake()
}

// PrepareNext does so once a reply is stored while words are missing.
func (svc *Service) PrepareNext(tx *storage.Tx, n *storage.Node) error {
	st := svc.story(n.Chat)
	st.mu.Lock()
	opened := st.opened
	st.mu.Unlock()
	if !opened {
		return nil
	}
	c, err := storage.Chats.Get(tx, n.Chat)
	if err != nil || !svc.lacking(tx, c) || stopped(tx, n.Chat) {
		return failure.IgnoreMissing(err)
	}
	return svc.queueIndex(tx, n.Chat)
}

// queueIndex queues the work, unless it waits or runs already.
func (svc *Service) queueIndex(tx *storage.Tx, chat storage.ChatID) error {
	for op := range chats.Unfinished(tx, chat) {
		if op.Type == OpIndex {
			return nil
		}
	}
	_, err := svc.house.AddWork(tx, OpIndex, indexParams{chat}, nil)
	return err
}

func indexed(op storage.Operation) storage.ChatID {
	var p indexParams
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about no chat
	return p.Chat
}

// stopped tells whether the user has stopped the work on a chat.
func stopped(tx *storage.Tx, chat storage.ChatID) bool {
	for _, op := range storage.Operations.Backward(tx) {
		if op.Type == OpIndex && indexed(op) == chat {
			return op.Status == storage.Cancelled
		}
	}
	return false
}

// runIndex takes the words of a chat's messages. A work that an earlier run of the program has
// left is of no use where the chat is not opened again.
func (svc *Service) runIndex(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	st := svc.story(indexed(op))
	st.mu.Lock()
	opened := st.opened
	st.mu.Unlock()
	if !opened {
		return queue.Effect{}, queue.ErrDiscard
	}
	err := svc.shelve(ctx, indexed(op), report)
	if errors.Is(err, storage.ErrNotFound) {
		err = queue.ErrDiscard
	}
	return queue.Effect{}, err
}

// shelve takes the words of a chat's messages on shelves until none is left, where some
// are left that the index of its path does not hold.
func (svc *Service) shelve(ctx context.Context, chat storage.ChatID, report func(queue.Progress)) error {
	left := 0
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil || !svc.lacking(tx, c) {
			return err
		}
		for range tx.Unshelved(chat) {
			left++
		}
		return nil
	})
	if err != nil || left == 0 {
		return err
	}
	of := left
	return svc.chats.Shelve(ctx, chat, 1, func(n int) {
		left = max(0, left-n)
		report(queue.Progress{Text: "reading the story", Step: of - left, Of: of})
	})
}

// lacking tells whether there are messages on a chat's path that are neither on a shelf
// nor among those that a turn reads at once.
func (svc *Service) lacking(tx *storage.Tx, c storage.Chat) bool {
	n, to := 0, tx.ShelvedTo(c.ID)
	for p := range tx.Spine(c.ID, c.Head) {
		if p.ID <= to {
			return false
		}
		if n++; n > mostAtOnce {
			return true
		}
	}
	return false
}
