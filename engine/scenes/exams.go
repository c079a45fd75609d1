package scenes

import (
	"context"
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Examine queues an exam of a scene: what would be lost if only memory were
// left.
func (svc *Service) Examine(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = svc.Reshape(chat, "memory exam", func(tx *storage.Tx) error {
		b, err := TheBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if b.Recap() == "" {
			return failure.Refuse("this scene has no recap to examine yet")
		}
		id, err = svc.house.AddWork(tx, opExam, chats.Params{Chat: chat, Node: node}, nil)
		return err
	})
	return id, err
}

// RepairRecap queues another version of a scene's recap that holds what its exam
// has shown to be lost.
func (svc *Service) RepairRecap(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = svc.Reshape(chat, "repair recap", func(tx *storage.Tx) error {
		b, err := TheBreak(tx, chat, node)
		if err != nil {
			return err
		}
		r, err := storage.Recaps.Get(tx, chat, b.Recap())
		if err != nil {
			return failure.Refuse("this scene has no recap yet")
		}
		if r.Exam == nil {
			return failure.Refuse("this version was not examined yet")
		}
		lost := r.Exam.Lost()
		if len(lost) == 0 {
			return failure.Refuse("the exam found nothing that would be lost")
		}
		id, err = svc.queueRecap(tx, chat, node, RecapRequest{Force: true, Style: r.Style, Instruction: scene.RepairInstruction(lost)}, RecapPriority)
		return err
	})
	return id, err
}

// examInput is what an exam is made of.
type examInput struct {
	recapInput
	recap  storage.Recap
	memory string // all that the answers may be taken from
	lore   []storage.LoreCandidate
	over   map[string]string // bullets of recap that have ended since, by their keys
	ended  []string          // their texts
}

// readExam reads a scene, its recap, and what memory holds of it: the running
// recap where the scene is in it, else the scene's own recap.
func (svc *Service) readExam(p chats.Params) (x examInput, err error) {
	if x.recapInput, err = svc.readScene(p); err != nil {
		return x, err
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := TheBreak(tx, p.Chat, p.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		if x.recap, err = storage.Recaps.Get(tx, p.Chat, b.Recap()); err != nil {
			return queue.ErrDiscard
		}
		over := OverAt(tx, x.chat, x.chat.Head, nil)
		x.over = over.reasons(x.recap)
		for _, bullet := range scene.Bullets(x.recap.Text) {
			if x.over[scene.BulletKey(bullet.Text)] != "" {
				x.ended = append(x.ended, bullet.Text)
			}
		}
		x.memory = over.holding(x.recap, x.recap.Text)
		leaf := p.Node
		if chats.OnPath(tx, p.Chat, x.chat.Head, p.Node) {
			leaf = x.chat.Head
		}
		if svc.core.Settings().Memory.Mode != config.MemoryScenes && inRunning(tx, p.Chat, leaf, b) {
			r, _, err := RunningAt(tx, p.Chat, leaf)
			if err != nil {
				return err
			}
			x.memory = over.holding(*r, r.Text)
		}
		for _, s := range StretchesOf(tx, p.Chat, p.Node) {
			if s.Brk == nil {
				continue
			}
			if r, err := storage.Recaps.Get(tx, p.Chat, s.Brk.Recap()); err == nil {
				x.lore = append(x.lore, r.Lorebooks...)
			}
		}
		return nil
	})
	return x, err
}

// runExam has questions made of a scene, has them answered from memory alone,
// and marks the answers.
func (svc *Service) runExam(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	x, err := svc.readExam(chats.ParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.house.Job(ctx, house.JobExam, x.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	report(queue.Progress{Text: "making questions", Step: 1, Of: 2})
	done := readingOf(x.Params)
	q, over, err := svc.askQuestions(ctx, j, x, &done)
	if err != nil {
		return queue.Effect{}, err
	}
	if !over {
		return goOn(x.Params, done)
	}
	q.Questions = x.stillAsked(q.Questions)
	report(queue.Progress{Text: "answering from memory", Step: 2, Of: 2})
	var a scene.Answers
	prompt := scene.AnswerPrompt(svc.core.Set(), x.memory, x.lore, q.Questions, x.in.User, x.in.Char)
	for len(x.lore) > 0 && j.Fits(prompt) != nil { // a long chat's lore: the older half goes
		x.lore = x.lore[(len(x.lore)+1)/2:]
		prompt = scene.AnswerPrompt(svc.core.Set(), x.memory, x.lore, q.Questions, x.in.User, x.in.Char)
	}
	if j.Fits(prompt) != nil {
		prompt = j.Fitted(len(x.memory), func(room int) []scene.Prompt {
			memory := scene.Gist([]string{x.memory}, nil, room/4, j.Known.Meter.Count)
			return scene.AnswerPrompt(svc.core.Set(), memory, x.lore, q.Questions, x.in.User, x.in.Char)
		})
	}
	if err := svc.house.AskJob(ctx, j, prompt, house.AnswerForm{Schema: scene.AnswerSchema(), Into: &a, Check: a.Check,
		Usable: func() bool { return len(a.Answers) > 0 }}, func(queue.Progress) {}); err != nil {
		return queue.Effect{}, err
	}
	exam := storage.Exam{At: svc.core.Config.Now(), Model: j.Model, Questions: scene.Grade(x.in.Messages, q, a)}
	return queue.Effect{Result: recapResult{Recap: x.recap.ID}, Apply: func(tx *storage.Tx) error {
		r, err := storage.Recaps.Get(tx, x.Chat, x.recap.ID)
		if errors.Is(err, storage.ErrNotFound) {
			return queue.ErrDiscard
		}
		if err != nil {
			return err
		}
		r.Exam = &exam
		return storage.Recaps.Put(tx, x.Chat, r)
	}}, nil
}

// stillAsked are the questions without those for what has ended, whose answers the memory
// is right not to know; all of them where it would be none.
func (x examInput) stillAsked(list []scene.Question) []scene.Question {
	out := slices.DeleteFunc(slices.Clone(list), func(q scene.Question) bool {
		return slices.ContainsFunc(x.ended, func(bullet string) bool { return q.AsksForOver(bullet, x.in.User, x.in.Char) })
	})
	if len(out) == 0 {
		return list
	}
	return out
}

// mostExamined is how many parts of a scene are asked about that is too long to be shown
// at once: an exam is a sample.
const mostExamined = 4

// askQuestions has questions made of a scene. Of one that is too long to be shown at once
// they are made part by part; over is false until the last of them is done.
func (svc *Service) askQuestions(ctx context.Context, j house.Job, x examInput, r *reading) (q scene.Questions, over bool, err error) {
	ask := func(messages []scene.Message, notes storage.Recap) []scene.Prompt {
		return scene.QuestionPrompt(svc.core.Set(), messages, notes, x.over, x.in.User, x.in.Char)
	}
	whole := ask(x.in.Messages, x.recap)
	if j.Fits(whole) == nil {
		q, err = svc.questions(ctx, j, whole)
		return q, true, err
	}
	if err := svc.examined(j, x, r, ask(nil, storage.Recap{})); err != nil {
		return q, false, tooLong(j, whole)
	}
	count, most := j.Known.Meter.Count, max(2, scene.MostQuestions/len(r.Parts))
	for i := range r.Parts {
		p := &r.Parts[i]
		if len(p.Asked) == 0 {
			messages := scene.Between(x.in.Messages, p.From, p.To)
			notes := storage.Recap{Text: scene.Gist([]string{scene.Touching(x.recap, messages)}, nil, (j.Options.NumCtx-j.Options.NumPredict)/8, count)}
			if q, err = svc.questions(ctx, j, ask(messages, notes)); err != nil {
				return q, false, err
			}
			p.Asked = q.Questions[:min(len(q.Questions), most)]
			if i < len(r.Parts)-1 {
				return q, false, nil
			}
		}
	}
	q = scene.Questions{}
	for _, p := range r.Parts {
		q.Questions = append(q.Questions, p.Asked...)
	}
	q.Questions = q.Questions[:min(len(q.Questions), scene.MostQuestions)]
	return q, true, nil
}

func (svc *Service) questions(ctx context.Context, j house.Job, prompt []scene.Prompt) (q scene.Questions, err error) {
	return q, svc.house.AskJob(ctx, j, prompt, house.AnswerForm{Schema: scene.QuestionSchema(), Into: &q, Check: q.Check,
		Usable: func() bool { return len(q.Questions) > 0 }}, func(queue.Progress) {})
}

// examined chooses the parts of a scene that are asked about, unless that is done and
// they are as they were. empty is the request without a part.
func (svc *Service) examined(j house.Job, x examInput, r *reading, empty []scene.Prompt) error {
	hash := func(p readPart) string { return scene.Inputs(scene.Between(x.in.Messages, p.From, p.To)) }
	if len(r.Parts) > 0 && !slices.ContainsFunc(r.Parts, func(p readPart) bool { return p.To.Number > len(x.in.Messages) || p.Inputs != hash(p) }) {
		return nil
	}
	count := j.Known.Meter.Count
	room := j.Options.NumCtx - j.Options.NumPredict - requestFrame
	for _, m := range empty {
		room -= count(m.Content) + 6
	}
	room -= (j.Options.NumCtx - j.Options.NumPredict) / 8
	if room < leastPart {
		return errors.New("no room for a part")
	}
	var all []readPart
	for at := (scene.Spot{}); at.Number < len(x.in.Messages); {
		p := readPart{From: at, To: scene.Portion(x.in.Messages, at, room, count)}
		p.Inputs = hash(p)
		all, at = append(all, p), p.To
	}
	r.Parts = nil
	n := min(len(all), mostExamined)
	for i := range n {
		r.Parts = append(r.Parts, all[i*(len(all)-1)/max(1, n-1)])
	}
	return nil
}
