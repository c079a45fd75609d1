package taste

import (
	"context"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readStory reads the material of a story's profile.
func (svc *Service) readStory(tx *storage.Tx, scope storage.ScopeID) (s lessons.Story, err error) {
	if err := memory.IsStory(tx, scope); err != nil {
		return s, err
	}
	s.Memories = tasteMemories(tx, scope)
	if s.Before, s.Overrides, err = tasteOf(tx, scope); err != nil {
		return s, err
	}
	s.Material, err = svc.material(tx, scope, s.Memories)
	return s, err
}

// material reads what belongs to the story and must not be in a card.
func (svc *Service) material(tx *storage.Tx, scope storage.ScopeID,
	memories []storage.TasteMemory) (m lessons.Material, err error) {
	m.Texts = storyTexts(tx, memories)
	m.Names, err = svc.storyNames(tx, scope)
	return m, err
}

// maxScenes is the maximum number of scenes, the newest, whose texts are read.
const maxScenes = 60

// storyTexts returns the texts of scenes that were learned from: recaps or beginnings, and
// descriptions of shots. Deleted ones are skipped.
func storyTexts(tx *storage.Tx, memories []storage.TasteMemory) (out []string) {
	for _, m := range memories[max(0, len(memories)-maxScenes):] {
		brk, err := scenes.VisibleBreak(tx, m.Chat, m.Scene)
		if err != nil {
			continue
		}
		if text, err := contextOf(tx, m.Chat, brk); err == nil {
			out = append(out, text)
		}
		b, _ := storage.Boards.Get(tx, m.Chat, m.Scene)
		var shown strings.Builder
		for _, s := range b.Shots {
			shown.WriteString(s.Subject + ".\n" + s.Description + ".\n" + s.Dialogue + ".\n")
		}
		out = append(out, shown.String())
	}
	return out
}

// tasteMemories returns the memories of a story, the oldest scene first.
func tasteMemories(tx *storage.Tx, scope storage.ScopeID) (out []storage.TasteMemory) {
	for _, m := range storage.TasteMemories.All(tx, scope) {
		out = append(out, m)
	}
	return out
}

// tasteOf reads a story's profile and the user's overrides; zero for none.
func tasteOf(tx *storage.Tx, scope storage.ScopeID) (storage.Taste, storage.ProfileEdits, error) {
	t, err := storage.Tastes.Get(tx, scope)
	if err := failure.IgnoreMissing(err); err != nil {
		return t, storage.ProfileEdits{}, err
	}
	h, err := storage.TasteOverrides.Get(tx, scope)
	t.Scope, h.Scope = scope, scope
	return t, h, failure.IgnoreMissing(err)
}

// runAggregate makes a story's profile of its memories. The old one stays until there is a new
// one.
func (svc *Service) runAggregate(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	p := learnParamsOf(op)
	var s lessons.Story
	var c storage.Chat
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if s, err = svc.readStory(tx, p.Scope); err != nil {
			return err
		}
		c, err = storage.Chats.Get(tx, p.Chat)
		return failure.IgnoreMissing(err) // then it is asked as any chat is
	})
	if scenes.IsGone(err) {
		return queue.Effect{}, queue.ErrDiscard
	}
	if err != nil {
		return queue.Effect{}, err
	}
	svc.core.Log.Info("aggregate started", "operation", op.ID, "story", p.Scope, "memories", len(s.Memories))
	if len(s.Memories) == 0 { // forgotten since this was queued, and the profile with them
		return queue.Effect{Result: learnResult{Note: "nothing to learn"}}, nil
	}
	keep := func(a lessons.Profile) (queue.Effect, error) {
		t := lessons.NewProfile(s, a)
		return queue.Effect{Result: learnResult{Memories: len(s.Memories), Cards: len(t.PreferenceCards)},
			Apply: func(tx *storage.Tx) error {
				return svc.storeProfile(tx, p, s, t)
			}}, nil
	}
	if s.NoLessons() { // the numbers need no model
		return keep(lessons.Profile{})
	}
	j, err := svc.models.Job(ctx, models.JobTaste, c)
	if err != nil {
		return queue.Effect{}, err
	}
	var a lessons.Profile
	form := models.AnswerForm{Schema: lessons.ProfileSchema(s), Form: lessons.ProfileForm(), Into: &a,
		Check: func() error { return lessons.CheckProfile(s, a) }, Usable: a.Usable}
	prompt := j.Shorten(lessons.ProfileBudget, func(room int) []prompts.Message {
		return lessons.AskProfile(svc.core.Prompts(), s, room)
	})
	if err := svc.models.AskJob(ctx, j, prompt, form, report); err != nil {
		return queue.Effect{}, err
	}
	return keep(a)
}

// storeProfile stores a story's profile, unless there are new memories: each of them queues
// another profile.
func (svc *Service) storeProfile(tx *storage.Tx, p learnParams, s lessons.Story, t storage.Taste) error {
	scope := p.Scope
	same := slices.EqualFunc(s.Memories, tasteMemories(tx, scope), func(a, b storage.TasteMemory) bool {
		return a.ID == b.ID && a.UpdatedAt.Equal(b.UpdatedAt)
	})
	if !same || memory.IsStory(tx, scope) != nil {
		return queue.ErrDiscard
	}
	_, h, err := tasteOf(tx, scope)
	if err != nil {
		return err
	}
	now := svc.core.Config.Now()
	if s.MuteBeyondLimit(t, &h) {
		h.UpdatedAt = now
		if err := storage.TasteOverrides.Put(tx, scope, h); err != nil {
			return err
		}
	}
	t.Scope, t.CreatedAt, t.UpdatedAt = scope, s.Before.CreatedAt, now
	if t.CreatedAt.IsZero() {
		t.CreatedAt = now
	}
	return storage.Tastes.Put(tx, scope, t)
}
