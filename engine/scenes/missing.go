package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapEnded queues the recaps of scenes that have just ended, in their order. Of more
// than a few at once, as a search of a whole chat finds, only the newest is queued:
// catchUp goes on from there.
func (svc *Service) recapEnded(tx *storage.Tx, chat storage.ChatID, nodes ...storage.NodeID) error {
	if len(nodes) > mostEndedAtOnce {
		return svc.catchUp(tx, chat, "")
	}
	if svc.core.Settings().Scenes.NoRecap {
		return nil
	}
	for _, node := range nodes {
		s, err := StretchAt(tx, chat, node)
		if err != nil {
			return err
		}
		if s.Said == 0 || s.Brk.Recap() != "" {
			continue
		}
		if _, err := svc.queueRecap(tx, chat, node, RecapRequest{}, UnaskedPriority); err != nil {
			return err
		}
	}
	return nil
}

// mostEndedAtOnce is how many scenes end at most by what the user or a turn does.
const mostEndedAtOnce = liveLook

// catchUp queues the recap of the newest ended scene on the path of a chat that has none,
// unless a recap is being made: one at a time, and only while nobody waits for the model.
// made is the scene whose recap has just been made, "" for none. A recap that failed, or
// that the user has cancelled, is not tried again.
func (svc *Service) catchUp(tx *storage.Tx, chat storage.ChatID, made storage.NodeID) error {
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
		if !tried[s.Brk.Node] {
			_, err := svc.queueRecap(tx, chat, s.Brk.Node, RecapRequest{}, UnaskedPriority)
			return err
		}
	}
	return nil
}

// triedRecaps are the scenes of a chat whose recap has failed or was cancelled.
func triedRecaps(tx *storage.Tx, chat storage.ChatID) map[storage.NodeID]bool {
	tried := map[storage.NodeID]bool{}
	for _, op := range storage.Operations.Backward(tx) {
		if p := chats.ParamsOf(op); op.Type == opRecap && p.Chat == chat {
			tried[p.Node] = tried[p.Node] || op.Status == storage.Failed || op.Status == storage.Cancelled
		}
	}
	return tried
}

// recapOf queues the recap of the scene that ends at a message, "" for none, where it has none: its
// messages will soon leave the prompt.
func (svc *Service) recapOf(tx *storage.Tx, chat storage.ChatID, end storage.NodeID) error {
	if svc.core.Settings().Scenes.NoRecap || end == "" {
		return nil
	}
	if b, err := TheBreak(tx, chat, end); err != nil || b.Recap() != "" || triedRecaps(tx, chat)[end] {
		return err
	}
	_, err := svc.queueRecap(tx, chat, end, RecapRequest{}, UnaskedPriority)
	return err
}

// withoutRecap returns the ended scenes of the path to leaf that have no recap although
// something is said in them, newest first.
func withoutRecap(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (missing []stretch) {
	for b := range breaksUp(tx, chat, leaf, func(b storage.Break) bool { return b.Recap() == "" }) {
		if s := openUpTo(tx, chat, b.Node); s.Said > 0 {
			s.Brk = &b
			missing = append(missing, s)
		}
	}
	return missing
}

// CatchUpReplied goes on with missing recaps when a reply is finished. Damage must not
// cost the reply.
func (svc *Service) CatchUpReplied(tx *storage.Tx, n chats.FinishedReply) error {
	err := svc.catchUp(tx, n.Chat, "")
	if failure.Damaged(err) {
		svc.core.Log.Warn("looking for scenes without a recap failed", "chat", n.Chat, "err", err)
		return nil
	}
	return err
}

// CatchUp goes on with missing recaps of a chat that was opened, or of which a recap has
// failed.
func (svc *Service) CatchUp(chat storage.ChatID) {
	missing := 0
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err == nil {
			missing = len(withoutRecap(tx, chat, c.Head))
		}
		return err
	})
	if err != nil || missing == 0 {
		return // nothing to do, or it is gone
	}
	if err := svc.core.Store.Update(func(tx *storage.Tx) error { return svc.catchUp(tx, chat, "") }); err != nil {
		svc.core.Log.Warn("queueing a missing recap failed", "chat", chat, "err", err)
		return
	}
	svc.core.Queue.Wake()
}
