package scenes

import (
	"context"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Join joins the scenes from the one that ends at first to the one that ends at last, and queues
// the recap of the joined scene, which is merged from their recaps.
func (svc *Service) Join(chat storage.ChatID, first, last storage.NodeID) error {
	return svc.ChangeScenes(chat, "join scenes", func(tx *storage.Tx) error {
		var nodes []storage.NodeID
		for at := last; ; {
			b, err := VisibleBreak(tx, chat, at)
			if err != nil {
				return err
			}
			if b.Recap() == "" {
				return failure.Refusef("every scene to join needs a recap first: %q has none", b.Name)
			}
			nodes = append(nodes, at)
			if at == first {
				break
			}
			s, err := SpanAt(tx, chat, at)
			if err != nil {
				return err
			}
			if at = s.after; at == "" {
				return failure.Refusef("the first scene must come before the last")
			}
		}
		if len(nodes) < 2 {
			return failure.Refusef("choose at least two scenes to join")
		}
		slices.Reverse(nodes)
		for _, n := range nodes[:len(nodes)-1] {
			if _, err := svc.setBreak(tx, chat, n, false, &detection{}); err != nil {
				return err
			}
		}
		_, err := svc.core.Queue.AddOperation(tx, opJoin, chats.Params{Chat: chat, Node: last, Nodes: nodes}, nil)
		return err
	})
}

// runJoin merges the recap of a joined scene from the recaps of its parts.
func (jobs *Jobs) runJoin(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	t, err := jobs.readScene(chats.ParamsOf(op), false)
	if err != nil {
		return queue.Effect{}, err
	}
	var parts []storage.Recap
	err = jobs.core.Store.View(func(tx *storage.Tx) error {
		for _, n := range t.Nodes {
			b, err := storage.Breaks.Get(tx, t.Chat, n)
			if err != nil {
				return queue.ErrDiscard
			}
			r, err := storage.Recaps.Get(tx, t.Chat, b.Recap())
			if err != nil {
				return queue.ErrDiscard
			}
			parts = append(parts, r)
		}
		return nil
	})
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := jobs.models.Job(ctx, models.JobRecap, t.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	work := scene.Merge{Records: parts, Style: t.in.Style, User: t.in.User, Char: t.in.Char}
	done := partsProgressOf(t.Params)
	d, over, err := jobs.merge(ctx, j, t.chat, work, &done, report)
	if err != nil {
		return queue.Effect{}, err
	}
	if !over {
		return continueLater(t.Params, done)
	}
	d.Lorebooks = scene.MergedLore(parts)
	return jobs.keepRecap(t.Params, t.complete(j, d)), nil
}
