package engine

import (
	"context"
	"errors"

	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// Examine queues an exam of a scene: what would be lost if only memory were
// left.
func (e *Engine) Examine(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = e.reshape(chat, "memory exam", func(tx *storage.Tx) error {
		b, err := theBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if b.Recap() == "" {
			return refuse("this scene has no recap yet that could be examined")
		}
		id, err = e.addWork(tx, opExam, sceneParams{Chat: chat, Node: node}, nil)
		return err
	})
	return id, err
}

// RepairRecap queues another version of a scene's recap that holds what its exam
// has shown to be lost.
func (e *Engine) RepairRecap(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = e.reshape(chat, "repair recap", func(tx *storage.Tx) error {
		b, err := theBreak(tx, chat, node)
		if err != nil {
			return err
		}
		r, err := storage.Recaps.Get(tx, chat, b.Recap())
		if err != nil {
			return refuse("this scene has no recap yet")
		}
		if r.Exam == nil {
			return refuse("this version was not examined yet")
		}
		lost := r.Exam.Lost()
		if len(lost) == 0 {
			return refuse("the exam found nothing that would be lost")
		}
		id, err = e.queueRecap(tx, chat, node, RecapRequest{Force: true, Style: r.Style, Instruction: scene.RepairInstruction(lost)})
		return err
	})
	return id, err
}

// paper is what an exam is made of.
type paper struct {
	telling
	recap  storage.Recap
	memory string // all that the answers may be taken from
	lore   []storage.LoreCandidate
}

// readPaper reads a scene, its recap, and what memory holds of it: the running
// recap where the scene is in it, else the scene's own recap.
func (e *Engine) readPaper(p sceneParams) (x paper, err error) {
	if x.telling, err = e.readScene(p); err != nil {
		return x, err
	}
	err = e.store.View(func(tx *storage.Tx) error {
		b, err := theBreak(tx, p.Chat, p.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		if x.recap, err = storage.Recaps.Get(tx, p.Chat, b.Recap()); err != nil {
			return queue.ErrDiscard
		}
		x.memory = x.recap.Text
		leaf := p.Node
		if onPath(tx, p.Chat, x.chat.Head, p.Node) {
			leaf = x.chat.Head
		}
		if e.cfg.Memory.Mode != MemoryScenes && e.inRunning(tx, p.Chat, leaf, b) {
			r, _, err := runningAt(tx, p.Chat, leaf)
			if err != nil {
				return err
			}
			x.memory = r.Text
		}
		for _, s := range stretchesOf(tx, p.Chat, p.Node) {
			if s.brk == nil {
				continue
			}
			if r, err := storage.Recaps.Get(tx, p.Chat, s.brk.Recap()); err == nil {
				x.lore = append(x.lore, r.Lorebooks...)
			}
		}
		return nil
	})
	return x, err
}

// runExam has questions made of a scene, has them answered from memory alone,
// and marks the answers.
func (e *Engine) runExam(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	x, err := e.readPaper(sceneParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := e.job(ctx, JobExam, x.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	report(queue.Progress{Text: "making questions", Step: 1, Of: 2})
	var q scene.Questions
	quiet := func(queue.Progress) {}
	prompt := scene.QuestionPrompt(e.set(), x.in.Messages, x.recap, x.in.User, x.in.Char)
	if err := e.askJob(ctx, j, prompt, answerForm{schema: scene.QuestionSchema(), into: &q, check: q.Check,
		usable: func() bool { return len(q.Questions) > 0 }}, quiet); err != nil {
		return queue.Effect{}, err
	}
	report(queue.Progress{Text: "answering from memory", Step: 2, Of: 2})
	var a scene.Answers
	prompt = scene.AnswerPrompt(e.set(), x.memory, x.lore, q.Questions, x.in.User, x.in.Char)
	for len(x.lore) > 0 && j.fits(prompt) != nil { // a long chat's lore: the older half goes
		x.lore = x.lore[(len(x.lore)+1)/2:]
		prompt = scene.AnswerPrompt(e.set(), x.memory, x.lore, q.Questions, x.in.User, x.in.Char)
	}
	if err := e.askJob(ctx, j, prompt, answerForm{schema: scene.AnswerSchema(), into: &a, check: a.Check,
		usable: func() bool { return len(a.Answers) > 0 }}, quiet); err != nil {
		return queue.Effect{}, err
	}
	exam := storage.Exam{At: e.cfg.Now(), Model: j.model, Questions: scene.Grade(x.in.Messages, q, a)}
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
