package engine

import (
	"context"
	"slices"
	"strings"

	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// JoinScenes makes one scene of those from the one that ends at first to the
// one that ends at last, and queues its recap, made of theirs.
func (e *Engine) JoinScenes(chat storage.ChatID, first, last storage.NodeID) error {
	return e.reshape(chat, "join scenes", func(tx *storage.Tx) error {
		var nodes []storage.NodeID
		for at := last; ; {
			b, err := theBreak(tx, chat, at)
			if err != nil {
				return err
			}
			if b.Recap() == "" {
				return refuse("every scene that is joined needs a recap first: %q has none", b.Name)
			}
			nodes = append(nodes, at)
			if at == first {
				break
			}
			s, err := stretchAt(tx, chat, at)
			if err != nil {
				return err
			}
			if at = s.after; at == "" {
				return refuse("the first of the scenes must lie before the last")
			}
		}
		if len(nodes) < 2 {
			return refuse("at least two scenes can be joined")
		}
		slices.Reverse(nodes)
		for _, n := range nodes[:len(nodes)-1] {
			if _, err := e.setBreak(tx, chat, n, false, &found{}); err != nil {
				return err
			}
		}
		_, err := e.addWork(tx, opJoin, sceneParams{Chat: chat, Node: last, Nodes: nodes}, nil)
		return err
	})
}

// runJoin makes the recap of a joined scene of the recaps that its parts had.
func (e *Engine) runJoin(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	t, err := e.readScene(sceneParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	var parts []storage.Recap
	err = e.store.View(func(tx *storage.Tx) error {
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
	j, err := e.job(ctx, JobRecap, t.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	var a scene.Answer
	prompt := scene.JoinPrompt(e.set(), parts, t.in.Style, t.in.User, t.in.Char)
	if err := e.askJob(ctx, j, prompt, answerForm{scene.RecapSchema(), scene.RecapForm(), &a, a.Check, a.Usable}, report); err != nil {
		return queue.Effect{}, err
	}
	r := recapOf(a.Joined(parts, t.in.Style))
	r.Inputs, r.Model, r.Style, r.Lorebooks = t.inputs, j.model, t.in.Style, joinedLore(parts)
	return e.keepRecap(t.sceneParams, r), nil
}

// joinedLore is what the recaps of several scenes hold for the lorebook; of
// what one name stands for, the newest.
func joinedLore(parts []storage.Recap) []storage.LoreCandidate {
	var out []storage.LoreCandidate
	for _, r := range parts {
		for _, l := range r.Lorebooks {
			same := func(o storage.LoreCandidate) bool { return o.Type == l.Type && strings.EqualFold(o.Name, l.Name) }
			out = append(slices.DeleteFunc(out, same), l)
		}
	}
	return out
}
