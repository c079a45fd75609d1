package scenes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Join makes one scene of those from the one that ends at first to the
// one that ends at last, and queues its recap, made of theirs.
func (svc *Service) Join(chat storage.ChatID, first, last storage.NodeID) error {
	return svc.Reshape(chat, "join scenes", func(tx *storage.Tx) error {
		var nodes []storage.NodeID
		for at := last; ; {
			b, err := TheBreak(tx, chat, at)
			if err != nil {
				return err
			}
			if b.Recap() == "" {
				return failure.Refuse("every scene to join needs a recap first: %q has none", b.Name)
			}
			nodes = append(nodes, at)
			if at == first {
				break
			}
			s, err := StretchAt(tx, chat, at)
			if err != nil {
				return err
			}
			if at = s.after; at == "" {
				return failure.Refuse("the first scene must come before the last")
			}
		}
		if len(nodes) < 2 {
			return failure.Refuse("at least two scenes can be joined")
		}
		slices.Reverse(nodes)
		for _, n := range nodes[:len(nodes)-1] {
			if _, err := svc.setBreak(tx, chat, n, false, &Found{}); err != nil {
				return err
			}
		}
		_, err := svc.house.AddWork(tx, opJoin, chats.Params{Chat: chat, Node: last, Nodes: nodes}, nil)
		return err
	})
}

// runJoin makes the recap of a joined scene of the recaps that its parts had.
func (svc *Service) runJoin(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	t, err := svc.readScene(chats.ParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	var parts []storage.Recap
	err = svc.core.Store.View(func(tx *storage.Tx) error {
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
	j, err := svc.house.Job(ctx, house.JobRecap, t.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	work := scene.Join{Scenes: parts, Style: t.in.Style, User: t.in.User, Char: t.in.Char}
	done := readingOf(t.Params)
	r, over, err := svc.join(ctx, j, t.chat, work, &done, report)
	if err != nil {
		return queue.Effect{}, err
	}
	if !over {
		return goOn(t.Params, done)
	}
	r.Inputs, r.Model, r.Style, r.Lorebooks = t.inputs, j.Model, t.in.Style, joinedLore(parts)
	return svc.keepRecap(t.Params, r), nil
}

// join makes one recap of several: heading by heading where they are too long to be asked
// about at once. over is false until all of it is there, see onward.
func (svc *Service) join(ctx context.Context, j house.Job, c storage.Chat, work scene.Join, r *reading, report func(queue.Progress)) (made storage.Recap, over bool, err error) {
	var a scene.JoinAnswer
	if asked, err := svc.askJoin(ctx, j, c, work, &a, report); asked || err != nil {
		return joined(work, &a), true, err
	}
	texts := ""
	for _, s := range work.Scenes {
		texts += s.Text + "\x00"
	}
	parts := work.Split()
	m, over, err := onward(r, texts, len(parts), func(i int) (m scene.MergeDraft, asked bool, err error) {
		var a scene.JoinAnswer
		if !parts[i].Trivial() {
			asked, err = svc.askJoin(ctx, j, c, parts[i], &a, report)
		}
		_, m = parts[i].Draft(&a)
		return m, asked, err
	})
	d, _ := work.Draft(&a) // for its names
	made = recapOf(d)
	made.Text, made.Sources, made.Dropped, made.Carried = m.Text, m.Sources, m.Dropped, m.Carried
	return made, over, err
}

// joined is the one recap that an answer makes of several. One without anything in it
// takes all facts as they stand.
func joined(work scene.Join, a *scene.JoinAnswer) storage.Recap {
	d, m := work.Draft(a)
	made := recapOf(d)
	made.Dropped, made.Carried = m.Dropped, m.Carried
	return made
}

// askJoin asks for the one recap; false where there is no room for that. Where the answer
// never comes to its end it stays empty, and all facts are taken as they stand.
func (svc *Service) askJoin(ctx context.Context, j house.Job, c storage.Chat, work scene.Join, a *scene.JoinAnswer, report func(queue.Progress)) (asked bool, err error) {
	prompt := work.Prompt(svc.core.Set())
	var texts []string
	for _, r := range work.Scenes {
		texts = append(texts, r.Text)
	}
	j, fits := roomFor(j, prompt, texts...)
	if !fits {
		return false, nil
	}
	err = svc.house.AskJob(ctx, j, svc.appendedOr(ctx, j, c, prompt), house.AnswerForm{Schema: scene.JoinSchema(work), Form: scene.JoinForm(), Into: a,
		Check: func() error { return work.Check(a) }, Usable: func() bool { return work.Usable(a) }, Show: scene.Partial}, report)
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && answer.Ending == ollama.EndLength {
		svc.core.Log.Warn("recaps were joined without a model", "err", err)
		*a = scene.JoinAnswer{}
		return true, nil
	}
	return true, err
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
