package knowledge

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// OpIndex is the operation that reads a long story into its index.
const OpIndex = "index_story"

// laneIndex is the lane of it: it asks no model, and waits for none.
const laneIndex = "index"

// atOnce is how many messages are read in one transaction, so that neither the store nor
// a turn waits for long.
const atOnce = 200

// indexParams are the params of OpIndex.
type indexParams struct {
	Chat storage.ChatID `json:"chat"`
}

// Work are the kinds of work on what a play knows.
func (svc *Service) Work() []house.Work {
	return []house.Work{{Name: OpIndex, Lane: func(*storage.Tx) string { return laneIndex }, Endless: true, Run: svc.runIndex}, svc.meaningWork()}
}

// Prepare has the index of a chat's path built in the background, where that is more than a
// turn does by itself. It is for when a chat is opened; one that is built, or being built,
// is not begun again.
func (svc *Service) Prepare(chat storage.ChatID) {
	st := svc.story(chat)
	st.mu.Lock()
	st.opened = true
	st.mu.Unlock()
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		st.mu.Lock()
		_, _, met := st.fresh(tx, c.Head, mostAtOnce)
		whole := met && st.low == 0
		st.mu.Unlock()
		if whole {
			return nil
		}
		return svc.queueIndex(tx, chat)
	})
	if failure.IgnoreMissing(err) != nil {
		svc.core.Log.Warn("the story is not read into the index", "chat", chat, "err", err)
	}
	svc.core.Queue.Wake()
}

// PrepareNext does so once a reply is stored whose turn has found the index unfinished.
func (svc *Service) PrepareNext(tx *storage.Tx, n *storage.Node) error {
	st := svc.story(n.Chat)
	st.mu.Lock()
	behind := st.low > 0 && st.opened
	st.mu.Unlock()
	if !behind || stopped(tx, n.Chat) {
		return nil
	}
	return svc.queueIndex(tx, n.Chat)
}

// queueIndex queues the building, unless it waits or runs already.
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

// stopped tells whether the user has stopped the building of a chat's index.
func stopped(tx *storage.Tx, chat storage.ChatID) bool {
	for _, op := range storage.Operations.Backward(tx) {
		if op.Type == OpIndex && indexed(op) == chat {
			return op.Status == storage.Cancelled
		}
	}
	return false
}

// runIndex builds the index of a chat's path. One that an earlier run of the program has
// left is of no use where the chat is not opened again.
func (svc *Service) runIndex(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	st := svc.story(indexed(op))
	st.mu.Lock()
	opened := st.opened
	st.mu.Unlock()
	if !opened {
		return queue.Effect{}, queue.ErrDiscard
	}
	return queue.Effect{}, svc.build(ctx, indexed(op), report)
}

// build reads a chat's path until its index is whole. Two that build the same help each
// other.
func (svc *Service) build(ctx context.Context, chat storage.ChatID, report func(queue.Progress)) error {
	for last := -1; ; {
		done, of := 0, 0
		err := svc.core.Store.View(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, chat)
			if err != nil {
				return queue.ErrDiscard
			}
			done, of, err = svc.story(chat).buildOn(tx, c.Head)
			return err
		})
		if err != nil || done == of {
			return err
		}
		report(queue.Progress{Text: "reading the story", Step: done, Of: of})
		wait := time.Duration(0)
		if done == last { // the store is being written
			wait = 10 * time.Millisecond
		}
		last = done
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// buildOn reads some more of the path to a message into the index that is being built, and
// puts that into use when it is whole. done and of count messages.
func (s *story) buildOn(tx *storage.Tx, leaf storage.NodeID) (done, of int, err error) {
	s.mu.Lock()
	if tx.Version() < s.newest {
		s.mu.Unlock()
		return 0, 1, nil
	}
	if _, _, met := s.fresh(tx, leaf, mostAtOnce); met && s.low == 0 {
		s.mu.Unlock()
		return 0, 0, nil
	}
	if s.next == nil {
		s.next = &story{chat: s.chat, newest: s.newest}
	}
	next := s.next
	s.mu.Unlock()
	if done, of, err = next.grow(tx, leaf); err != nil || done < of {
		return done, of, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == next {
		next.mu.Lock()
		defer next.mu.Unlock()
		s.index, s.low, s.path, s.held, s.again, s.elder = next.index, 0, next.path, next.held, next.again, nil
		s.newest = max(s.newest, next.newest)
		s.next, next.given = nil, true
	}
	return done, of, nil
}

// grow adds the next messages of the path to one, the oldest first.
func (s *story) grow(tx *storage.Tx, leaf storage.NodeID) (done, of int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given {
		return 0, 0, nil
	}
	if tx.Version() < s.newest {
		return 0, 1, nil
	}
	s.newest = tx.Version()
	if err := s.reread(tx); err != nil {
		return 0, 0, err
	}
	if s.leaf != leaf {
		fresh, shared, _ := s.fresh(tx, leaf, 0)
		s.cut(shared)
		slices.Reverse(fresh)
		s.todo, s.leaf = fresh, leaf
	}
	n := min(atOnce, len(s.todo))
	for _, p := range s.todo[:n] {
		if err := s.add(tx, p); err != nil {
			s.leaf = ""
			return 0, 0, err
		}
	}
	if s.todo = s.todo[n:]; len(s.todo) == 0 {
		s.todo, s.leaf = nil, "" // the last of it may grow
	}
	return len(s.path), len(s.path) + len(s.todo), nil
}
