package scenes

import (
	"cmp"
	"slices"

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
	for _, node := range nodes {
		b, err := TheBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if svc.core.Settings().Scenes.NoRecap || b.Recap() != "" {
			continue
		}
		if s, err := StretchAt(tx, chat, node); err != nil || s.Said == 0 {
			return err
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
	for _, b := range missing {
		if !tried[b.Node] {
			_, err := svc.queueRecap(tx, chat, b.Node, RecapRequest{}, IdlePriority)
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

// recapNext queues the recap of the ended scene that a message of the path to leaf lies in,
// where it has none: that message will soon leave the prompt.
func (svc *Service) recapNext(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, at storage.Place) error {
	if svc.core.Settings().Scenes.NoRecap {
		return nil
	}
	end := storage.NodeID("")
	for p := range tx.Spine(chat, leaf) {
		if p.Depth < at.Depth {
			break
		}
		if ShownBreak(tx, chat, p.ID) {
			end = p.ID
		}
	}
	if end == "" {
		return nil
	}
	if b, err := TheBreak(tx, chat, end); err != nil || b.Recap() != "" || triedRecaps(tx, chat)[end] {
		return err
	}
	_, err := svc.queueRecap(tx, chat, end, RecapRequest{}, UnaskedPriority)
	return err
}

// withoutRecap returns the breaks of the path to leaf whose scenes have no recap although
// something is said in them, newest first. It walks up the path only where there are any.
func withoutRecap(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (missing []storage.Break) {
	byNode, least := map[storage.NodeID]storage.Break{}, 0
	for id, b := range storage.Breaks.All(tx, chat) {
		if b.Hidden || b.Recap() != "" {
			continue
		}
		if len(byNode) == 0 || b.Depth < least {
			least = b.Depth
		}
		byNode[id] = b
	}
	if len(byNode) == 0 {
		return nil
	}
	for p := range tx.Spine(chat, leaf) {
		if p.Depth < least {
			break
		}
		if b, ok := byNode[p.ID]; ok {
			if s, err := StretchAt(tx, chat, b.Node); err == nil && s.Said > 0 {
				missing = append(missing, b)
			}
		}
	}
	slices.SortFunc(missing, func(a, b storage.Break) int { return cmp.Compare(b.Depth, a.Depth) })
	return missing
}

// CatchUpReplied goes on with missing recaps when a reply is finished. Damage must not
// cost the reply.
func (svc *Service) CatchUpReplied(tx *storage.Tx, n *storage.Node) error {
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
