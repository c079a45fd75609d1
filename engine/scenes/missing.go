package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapEnded queues the recaps of scenes that have just ended, in their order. If more than a few
// ended together, as in a search of a whole chat, it queues only the newest; queueMissing queues
// the others after that.
func (svc *Service) recapEnded(tx *storage.Tx, chat storage.ChatID, nodes ...storage.NodeID) error {
	if len(nodes) > maxEndedAtOnce {
		return svc.queueMissing(tx, chat, "")
	}
	if svc.core.Settings().Scenes.NoRecap {
		return nil
	}
	for _, node := range nodes {
		s, err := SpanAt(tx, chat, node)
		if err != nil {
			return err
		}
		if s.Messages == 0 || s.Break.Recap() != "" {
			continue
		}
		if _, err := svc.queueRecap(tx, chat, node, RecapRequest{}, UnaskedPriority); err != nil {
			return err
		}
	}
	return nil
}

// maxEndedAtOnce is the maximum number of scenes that a user's action or a turn ends.
const maxEndedAtOnce = maxLiveMessages

// queueMissing queues the recap of the newest ended scene on a chat's path that has none: one at a
// time, and only while nobody waits for the model. made is the scene whose recap was just made, ""
// for none. Recaps that failed or were cancelled are not tried again.
func (svc *Service) queueMissing(tx *storage.Tx, chat storage.ChatID, made storage.NodeID) error {
	if svc.core.Settings().Scenes.NoRecap {
		return nil
	}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	missing := withoutRecap(tx, chat, c.Head)
	if len(missing) == 0 {
		return nil
	}
	for op := range chats.Unfinished(tx, chat) {
		if op.Type == opRecap && chats.ParamsOf(op).Node != made {
			return nil
		}
	}
	tried := triedRecaps(tx, chat)
	for _, s := range missing {
		if !tried[s.Break.Node] {
			_, err := svc.queueRecap(tx, chat, s.Break.Node, RecapRequest{}, UnaskedPriority)
			return err
		}
	}
	return nil
}

// triedRecaps returns the scenes of a chat whose recap has failed or was cancelled.
func triedRecaps(tx *storage.Tx, chat storage.ChatID) map[storage.NodeID]bool {
	tried := map[storage.NodeID]bool{}
	for _, op := range storage.Operations.Backward(tx) {
		if p := chats.ParamsOf(op); op.Type == opRecap && p.Chat == chat {
			tried[p.Node] = tried[p.Node] || op.Status == storage.Failed || op.Status == storage.Cancelled
		}
	}
	return tried
}

// recapOf queues the recap of the scene that ends at a message ("" for none) if it has none: its
// messages will soon leave the prompt.
func (svc *Service) recapOf(tx *storage.Tx, chat storage.ChatID, end storage.NodeID) error {
	if svc.core.Settings().Scenes.NoRecap || end == "" {
		return nil
	}
	if b, err := VisibleBreak(tx, chat, end); err != nil || b.Recap() != "" || triedRecaps(tx, chat)[end] {
		return err
	}
	_, err := svc.queueRecap(tx, chat, end, RecapRequest{}, UnaskedPriority)
	return err
}

// withoutRecap returns the ended scenes on the path to leaf that have messages and no recap, newest
// first.
func withoutRecap(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (missing []Span) {
	for b := range breaksAbove(tx, chat, leaf, func(b storage.Break) bool { return b.Recap() == "" }) {
		if s := openUpTo(tx, chat, b.Node); s.Messages > 0 {
			s.Break = &b
			missing = append(missing, s)
		}
	}
	return missing
}

// QueueMissingAfterReply goes on with missing recaps when a reply is finished. Damage must not
// cost the reply.
func (svc *Service) QueueMissingAfterReply(tx *storage.Tx, n chats.FinishedReply) error {
	err := svc.queueMissing(tx, n.Chat, "")
	if failure.Damaged(err) {
		svc.core.Log.Warn("looking for scenes without a recap failed", "chat", n.Chat, "err", err)
		return nil
	}
	return err
}

// QueueMissing queues the missing recaps of a chat that was opened, or in which a recap has failed.
func (svc *Service) QueueMissing(chat storage.ChatID) {
	missing := 0
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err == nil {
			missing = len(withoutRecap(tx, chat, c.Head))
		}
		return err
	})
	if err != nil || missing == 0 {
		return // nothing to do, or the chat is gone
	}
	if err := svc.core.Store.Update(func(tx *storage.Tx) error { return svc.queueMissing(tx, chat, "") }); err != nil {
		svc.core.Log.Warn("queueing a missing recap failed", "chat", chat, "err", err)
		return
	}
	svc.core.Queue.Wake()
}
