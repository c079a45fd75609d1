package taste

import (
	"context"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// opJudge asks whether cards that the rules cannot decide are of one story. Until
// it is answered they are not told.
const opJudge = "taste_judge"

// judgeNext has the cards of a story judged that wait for it, unless that is asked
// already.
func (svc *Service) judgeNext(tx *storage.Tx, scope storage.ScopeID, chat storage.ChatID) error {
	for _, op := range storage.Operations.All(tx) {
		if op.Type == opJudge && op.Status == storage.Pending && learnParamsOf(op).Scope == scope {
			return nil
		}
	}
	waiting, err := svc.waiting(tx, scope)
	if err != nil || len(waiting) == 0 {
		return err
	}
	_, err = svc.house.AddWork(tx, opJudge, learnParams{Chat: chat, Scope: scope}, nil)
	return err
}

// waiting are the cards of a story that wait to be judged.
func (svc *Service) waiting(tx *storage.Tx, scope storage.ScopeID) ([]storage.PreferenceCard, error) {
	t, h, err := tasteOf(tx, scope)
	if err != nil || len(t.PreferenceCards) == 0 {
		return nil, err
	}
	d, err := svc.details(tx, scope)
	return lessons.Waiting(t, h, d), err
}

// details are what belongs to the scenes of a story.
func (svc *Service) details(tx *storage.Tx, scope storage.ScopeID) (*lessons.Details, error) {
	names, err := svc.storyNames(tx, scope)
	if err != nil {
		return nil, err
	}
	memories := tasteMemories(tx, scope)
	return lessons.NewDetails(names, memories, storyTexts(tx, memories)...), nil
}

// runJudge asks the model about the cards of a story that wait. What it says is
// kept by the words that it was said of.
func (svc *Service) runJudge(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := learnParamsOf(op)
	var cards []storage.PreferenceCard
	var c storage.Chat
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if memory.IsStory(tx, p.Scope) != nil {
			return queue.ErrDiscard
		}
		if cards, err = svc.waiting(tx, p.Scope); err != nil {
			return err
		}
		c, _ = storage.Chats.Get(tx, p.Chat) // else it is asked as any chat is
		return nil
	})
	if err != nil {
		return queue.Effect{}, err
	}
	if len(cards) == 0 {
		return queue.Effect{Result: learnt{Note: "nothing to judge"}}, nil
	}
	j, err := svc.house.Job(ctx, house.JobTaste, c)
	if err != nil {
		return queue.Effect{}, err
	}
	ask := func() []prompts.Message { return lessons.AskJudge(svc.core.Set(), cards) }
	for len(cards) > 1 && j.Fits(ask()) != nil {
		cards = cards[:len(cards)-1] // the others are asked about next
	}
	var a lessons.Verdicts
	form := house.AnswerForm{Schema: lessons.JudgeSchema(len(cards)), Form: lessons.JudgeForm(), Into: &a,
		Check: func() error { return lessons.CheckVerdicts(cards, a) }, Usable: func() bool { return len(lessons.KeepVerdicts(cards, a)) > 0 }}
	if err := svc.house.AskJob(ctx, j, ask(), form, report); err != nil {
		return queue.Effect{}, err
	}
	verdicts := lessons.KeepVerdicts(cards, a)
	return queue.Effect{Result: learnt{Cards: len(verdicts)}, Apply: func(tx *storage.Tx) error {
		return svc.keepVerdicts(tx, p, verdicts)
	}}, nil
}

// keepVerdicts stores what was said of cards, and asks about those that still wait.
func (svc *Service) keepVerdicts(tx *storage.Tx, p learnParams, verdicts []storage.CardVerdict) error {
	t, err := storage.Tastes.Get(tx, p.Scope)
	if err != nil {
		return queue.ErrDiscard // forgotten meanwhile
	}
	if err := storage.Tastes.Put(tx, p.Scope, lessons.WithVerdicts(t, verdicts)); err != nil || len(verdicts) == 0 {
		return err
	}
	return svc.judgeNext(tx, p.Scope, p.Chat)
}

// judgeSoon has cards judged that were found to wait when they could have been told:
// those of a profile from before there were verdicts.
func (svc *Service) judgeSoon(chat storage.Chat) {
	if svc.core.Settings().Taste.Off {
		return
	}
	err := svc.core.Store.Update(func(tx *storage.Tx) error { return svc.judgeNext(tx, chats.ScopeOf(chat), chat.ID) })
	if err != nil {
		svc.core.Log.Warn("cards could not be given to be judged", "chat", chat.ID, "err", err)
		return
	}
	svc.core.Queue.Wake()
}
