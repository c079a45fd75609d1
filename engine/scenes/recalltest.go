package scenes

import (
	"context"
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// QueueRecallTest queues a recall test of a scene: it finds the facts that would be lost if only memory
// were left.
func (svc *Service) QueueRecallTest(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = svc.ChangeScenes(chat, "recall test", func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if b.Recap() == "" {
			return failure.Refusef("this scene has no recap to test yet")
		}
		id, err = svc.core.Queue.AddOperation(tx, opRecallTest, chats.Params{Chat: chat, Node: node}, nil)
		return err
	})
	return id, err
}

// RepairRecap queues another version of a scene's recap that includes the facts which its recall
// test found missing.
func (svc *Service) RepairRecap(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = svc.ChangeScenes(chat, "repair recap", func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, chat, node)
		if err != nil {
			return err
		}
		r, err := storage.Recaps.Get(tx, chat, b.Recap())
		if err != nil {
			return failure.Refusef("this scene has no recap yet")
		}
		if r.RecallTest == nil {
			return failure.Refusef("this version has no recall test yet")
		}
		lost := r.RecallTest.Lost()
		if len(lost) == 0 {
			return failure.Refusef("the recall test found no lost facts")
		}
		id, err = svc.queueRecap(tx, chat, node,
			RecapRequest{Force: true, Style: r.Style, Instruction: scene.RepairInstruction(lost)}, RecapPriority)
		return err
	})
	return id, err
}

// recallInput is the input of a recall test.
type recallInput struct {
	recapInput
	recap  storage.Recap
	memory string // all that the answers may be taken from
	lore   []storage.LoreCandidate
	ended  map[string]string // bullets of recap that have ended since, by their keys
}

// readRecallTest reads a scene, its recap, and the memory of it: the running recap if the scene is
// in it, otherwise the scene's own recap.
func (jobs *Jobs) readRecallTest(p chats.Params) (x recallInput, err error) {
	if x.recapInput, err = jobs.readScene(p, false); err != nil {
		return x, err
	}
	err = jobs.core.Store.View(func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, p.Chat, p.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		if x.recap, err = storage.Recaps.Get(tx, p.Chat, b.Recap()); err != nil {
			return queue.ErrDiscard
		}
		over := EndIndexAt(tx, x.chat, x.chat.Head, nil)
		x.ended = over.reasons(x.recap)
		x.memory = over.withoutEnded(x.recap, x.recap.Text)
		leaf := p.Node
		if chats.OnPath(tx, p.Chat, x.chat.Head, p.Node) {
			leaf = x.chat.Head
		}
		if jobs.core.Settings().Memory.Mode != config.MemoryScenes && inRunning(tx, p.Chat, leaf, b) {
			r, _, err := RunningAt(tx, p.Chat, leaf)
			if err != nil {
				return err
			}
			x.memory = over.withoutEnded(*r, r.Text)
		}
		for _, s := range SpansOf(tx, p.Chat, p.Node) {
			if s.Break == nil {
				continue
			}
			if r, err := storage.Recaps.Get(tx, p.Chat, s.Break.Recap()); err == nil {
				x.lore = append(x.lore, r.Lorebooks...)
			}
		}
		return nil
	})
	return x, err
}

// runRecallTest makes questions about a scene, has them answered from memory alone, and has the
// answers marked.
func (jobs *Jobs) runRecallTest(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	x, err := jobs.readRecallTest(chats.ParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := jobs.models.Job(ctx, models.JobRecallTest, x.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	report(queue.Progress{Text: "writing questions", Step: 1, Of: 3})
	q, err := jobs.questions(ctx, j, x)
	if err != nil {
		return queue.Effect{}, err
	}
	report(queue.Progress{Text: "answering from the recap", Step: 2, Of: 3})
	var a scene.Answers
	prompt := scene.AnswerPrompt(jobs.core.Prompts(), x.memory, x.lore, q.Questions, x.in.User, x.in.Char)
	for len(x.lore) > 0 && j.Fits(prompt) != nil { // a long chat's lore: the older half goes
		x.lore = x.lore[(len(x.lore)+1)/2:]
		prompt = scene.AnswerPrompt(jobs.core.Prompts(), x.memory, x.lore, q.Questions, x.in.User, x.in.Char)
	}
	if j.Fits(prompt) != nil {
		prompt = j.Shorten(len(x.memory), func(room int) []scene.Prompt {
			memory := scene.Gist([]string{x.memory}, room/4, j.Known.Meter.Count)
			return scene.AnswerPrompt(jobs.core.Prompts(), memory, x.lore, q.Questions, x.in.User, x.in.Char)
		})
	}
	if err := jobs.models.AskJob(ctx, j, prompt,
		models.AnswerForm{Schema: scene.AnswerSchema(len(q.Questions)), Into: &a, Check: a.Check,
			Usable: func() bool { return len(a.Answers) > 0 }}, func(queue.Progress) {}); err != nil {
		return queue.Effect{}, err
	}
	test := storage.RecallTest{At: jobs.core.Config.Now(), Model: j.Model, Questions: scene.Grade(x.in.Messages, q, a)}
	if slices.ContainsFunc(test.Questions, func(q storage.RecallQuestion) bool { return !q.Lost }) {
		report(queue.Progress{Text: "checking the answers", Step: 3, Of: 3})
		var marks scene.Marks
		prompt := scene.MarksPrompt(jobs.core.Prompts(), test.Questions, x.in.User, x.in.Char)
		if err := jobs.models.AskJob(ctx, j, prompt, models.AnswerForm{Schema: scene.MarksSchema(len(test.Questions)),
			Into: &marks}, func(queue.Progress) {}); err != nil {
			return queue.Effect{}, err
		}
		marks.Apply(test.Questions)
	}
	return queue.Effect{Result: recapResult{Recap: x.recap.ID}, Apply: func(tx *storage.Tx) error {
		r, err := storage.Recaps.Get(tx, x.Chat, x.recap.ID)
		if errors.Is(err, storage.ErrNotFound) {
			return queue.ErrDiscard
		}
		if err != nil {
			return err
		}
		r.RecallTest = &test
		return storage.Recaps.Put(tx, x.Chat, r)
	}}, nil
}

// questions asks a model for questions about a scene. Of a scene that is too long for one request,
// every second, third or later message is shown, as many as fit: a recall test is a sample.
func (svc *Service) questions(ctx context.Context, j models.Job, x recallInput) (q scene.Questions, err error) {
	ask := func(step int) []scene.Prompt {
		var shown []scene.Message
		for i := 0; i < len(x.in.Messages); i += step {
			m := x.in.Messages[i]
			m.Number = i + 1
			shown = append(shown, m)
		}
		return scene.QuestionPrompt(svc.core.Prompts(), shown, x.recap, x.ended, x.in.User, x.in.Char)
	}
	step := 1
	if size, room := scene.Size(x.in.Messages, scene.Position{}, j.Known.Meter.Count),
		j.Options.NumCtx-j.Options.NumPredict; size > room {
		step = size/max(room, 1) + 1
	}
	for j.Fits(ask(step)) != nil && step < len(x.in.Messages) {
		step++
	}
	return q, svc.models.AskJob(ctx, j, ask(step),
		models.AnswerForm{Schema: scene.QuestionSchema(x.in.Messages), Into: &q, Check: q.Check,
			Usable: func() bool { return len(q.Questions) > 0 }}, func(queue.Progress) {})
}
