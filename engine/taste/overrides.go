package taste

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of the user's texts, in runes, and of the cards.
const (
	maxSummary   = 2000
	maxOverrides = 200
)

// changeTaste changes the user's overrides of a story's profile.
func (svc *Service) changeTaste(op string, scope storage.ScopeID,
	f func(t storage.Taste, h *storage.ProfileEdits) error) error {
	err := svc.memory.InStory(op, scope, func(tx *storage.Tx) error {
		t, h, err := tasteOf(tx, scope)
		if err != nil {
			return err
		}
		if err := f(t, &h); err != nil {
			return err
		}
		if len(h.Cards) == 0 && h.Summary == "" {
			return failure.IgnoreMissing(storage.TasteOverrides.Delete(tx, scope))
		}
		h.UpdatedAt = svc.core.Config.Now()
		return storage.TasteOverrides.Put(tx, scope, h)
	})
	if err == nil {
		svc.core.Emit(Changed{scope})
	}
	return err
}

// SaveCard stores the user's text of a card, or a new card of the user without an ID. A text that
// equals the program's removes the override.
func (svc *Service) SaveCard(scope storage.ScopeID, c storage.PreferenceCard) (storage.PreferenceCard, error) {
	for _, text := range []*string{&c.Preference, &c.AppliesTo, &c.AvoidApplyingTo, &c.Evidence} {
		*text = strings.TrimSpace(*text)
	}
	if c.Confidence == "" {
		c.Confidence = storage.HighConfidence // who says so oneself is sure
	}
	if err := CardFields.Valid(&c); err != nil {
		return c, failure.Wrap("save card", err)
	}
	err := svc.changeTaste("save card", scope, func(t storage.Taste, h *storage.ProfileEdits) error {
		if c.ID == "" {
			if len(h.Cards) >= maxOverrides { // permanently deleted cards make room
				h.Cards = slices.DeleteFunc(h.Cards, func(x storage.CardEdits) bool { return x.Deleted && x.Was == "" })
			}
			if len(h.Cards) >= maxOverrides {
				return failure.Refusef("a profile can have %d cards that you wrote or changed: delete one first",
					maxOverrides)
			}
			c.ID = storage.CardID(storage.NewID())
			h.Cards = append(h.Cards, storage.CardEdits{ID: c.ID, Card: &c})
			return checkCardLimit(t, *h, c.ID)
		}
		x, err := overrideOf(t, h, c.ID)
		if err != nil {
			return err
		}
		x.Card = &c
		if i := programCard(t, c.ID); i >= 0 && t.PreferenceCards[i] == c {
			x.Card = nil
		}
		*h = dropUnchanged(*h, t)
		return nil
	})
	return c, err
}

// programCard returns the index of a card among the program's cards, -1 for none.
func programCard(t storage.Taste, id storage.CardID) int {
	return slices.IndexFunc(t.PreferenceCards, func(c storage.PreferenceCard) bool { return c.ID == id })
}

// overrideOf returns the user's override of a card for a change; it adds one if there is none.
func overrideOf(t storage.Taste, h *storage.ProfileEdits, id storage.CardID) (*storage.CardEdits, error) {
	if i := slices.IndexFunc(h.Cards, func(x storage.CardEdits) bool { return x.ID == id }); i >= 0 {
		return &h.Cards[i], nil
	}
	i := programCard(t, id)
	switch {
	case i < 0:
		return nil, &failure.Missing{Kind: "card", Ref: string(id)}
	case len(h.Cards) >= maxOverrides:
		return nil, failure.Refusef("a profile can have %d cards that you wrote or changed: restore one first",
			maxOverrides)
	}
	h.Cards = append(h.Cards, storage.CardEdits{ID: id, Was: t.PreferenceCards[i].Preference})
	return &h.Cards[len(h.Cards)-1], nil
}

// checkCardLimit returns an error if there are more cards than can be used.
func checkCardLimit(t storage.Taste, h storage.ProfileEdits, ids ...storage.CardID) error {
	for _, c := range lessons.Cards(t, h) {
		if c.BeyondLimit && slices.Contains(ids, c.ID) {
			return failure.Refusef("%d cards are already used: mute or delete one first", lessons.MaxCards)
		}
	}
	return nil
}

// dropUnchanged removes overrides that change nothing.
func dropUnchanged(h storage.ProfileEdits, t storage.Taste) storage.ProfileEdits {
	h.Cards = slices.DeleteFunc(h.Cards, func(x storage.CardEdits) bool {
		return x.Was != "" && x.Card == nil && !x.Muted && !x.Deleted
	})
	return h
}

// ApplyAction applies an action to cards and returns how many changed.
func (svc *Service) ApplyAction(scope storage.ScopeID, ids []storage.CardID, do Action) (n int, err error) {
	if !slices.Contains([]Action{MuteCards, UnmuteCards, DeleteCards, RestoreCards}, do) {
		return 0, failure.Wrap("change cards",
			failure.Refusef("unknown action %q for cards", failure.FirstRunes(string(do), 40)))
	}
	err = svc.changeTaste("change cards", scope, func(t storage.Taste, h *storage.ProfileEdits) error {
		n = 0
		for _, id := range ids {
			x, err := overrideOf(t, h, id)
			if err != nil {
				return err
			}
			was := *x
			switch do {
			case MuteCards, UnmuteCards:
				x.Muted = do == MuteCards
			case DeleteCards:
				x.Deleted = true
			case RestoreCards:
				if x.Deleted, x.Muted = false, false; x.Was != "" {
					x.Card = nil
				}
			}
			if *x != was {
				n++
			}
		}
		*h = dropUnchanged(*h, t)
		if do == UnmuteCards || do == RestoreCards {
			return checkCardLimit(t, *h, ids...)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// SaveSummary stores the user's text in place of the profile's summary; "" restores that.
func (svc *Service) SaveSummary(scope storage.ScopeID, text string) error {
	text = strings.TrimSpace(text)
	if err := checkTasteSummary(text); err != nil {
		return failure.Wrap("save summary", err)
	}
	return svc.changeTaste("save summary", scope, func(t storage.Taste, h *storage.ProfileEdits) error {
		if h.Summary = text; text == t.ProfileSummary {
			h.Summary = ""
		}
		return nil
	})
}

func checkTasteSummary(text string) error {
	if failure.FirstRunes(text, maxSummary) != text {
		return failure.Refusef("a summary may have at most %d characters: shorten it; the previous one is kept",
			maxSummary)
	}
	return nil
}

// RestoreOverrides restores earlier overrides of a profile, to undo a change.
func (svc *Service) RestoreOverrides(scope storage.ScopeID, was storage.ProfileEdits) error {
	err := checkTasteSummary(was.Summary)
	if len(was.Cards) > maxOverrides {
		err = failure.Refusef("a profile can have %d cards that you wrote or changed", maxOverrides)
	}
	for _, x := range was.Cards {
		if x.Card != nil && err == nil {
			err = CardFields.Valid(x.Card)
		}
	}
	if err != nil {
		return failure.Wrap("undo", err)
	}
	return svc.changeTaste("undo", scope, func(_ storage.Taste, h *storage.ProfileEdits) error {
		h.Summary, h.Cards = was.Summary, slices.Clone(was.Cards)
		return nil
	})
}

// DeleteMemory deletes what was learned from a scene, and queues the profile; with the last memory
// the profile is deleted too.
func (svc *Service) DeleteMemory(scope storage.ScopeID, scene storage.NodeID) error {
	const op = "forget a lesson"
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if err := memory.IsStory(tx, scope); err != nil {
			return err
		}
		_, err := storage.TasteMemories.Get(tx, scope, scene)
		return err
	})
	if err != nil {
		return failure.Wrap(op, err) // before any pending lesson is cancelled
	}
	svc.cancelLearning(scope, scene)
	return svc.forget(op, scope, func(tx *storage.Tx) error {
		if err := storage.TasteMemories.Delete(tx, scope, scene); err != nil {
			return err
		}
		_, err := svc.queueProfile(tx, scope, chatOfStory(tx, scope))
		return err
	})
}

// Reset deletes everything that was learned of a story, including the user's own cards.
func (svc *Service) Reset(scope storage.ScopeID) error {
	svc.cancelLearning(scope, "")
	return svc.forget("reset taste", scope, func(tx *storage.Tx) error {
		for id := range storage.TasteMemories.All(tx, scope) {
			if err := storage.TasteMemories.Delete(tx, scope, id); err != nil {
				return err
			}
		}
		if err := failure.IgnoreMissing(storage.Tastes.Delete(tx, scope)); err != nil {
			return err
		}
		return failure.IgnoreMissing(storage.TasteOverrides.Delete(tx, scope))
	})
}

func (svc *Service) forget(op string, scope storage.ScopeID, f func(tx *storage.Tx) error) error {
	err := svc.memory.InStory(op, scope, f)
	if err == nil {
		svc.core.Queue.Wake()
		svc.core.Emit(Changed{scope})
	}
	return err
}

// cancelLearning stops learning from a story, or from one of its scenes, because it would restore
// what is being deleted.
func (svc *Service) cancelLearning(scope storage.ScopeID, scene storage.NodeID) {
	var ids []storage.OperationID
	err := svc.core.Store.View(func(tx *storage.Tx) error { ids = learningOps(tx, scope, scene); return nil })
	if err != nil {
		svc.core.Log.Warn("looking for what is being learnt failed", "story", scope, "err", err)
	}
	for _, id := range ids {
		_ = svc.core.Queue.Withdraw(id) // it may have ended just now
	}
}

// MoveTaste copies what was learned from a chat's scenes when the chat is moved to another story.
// A story without overrides gets the user's overrides of the chat's own story.
func (svc *Service) MoveTaste(tx *storage.Tx, m director.StoryMove) error {
	c, from, to := m.Chat, m.From, m.To
	moved := false
	for id, m := range storage.TasteMemories.All(tx, from) {
		if m.Chat != c.ID {
			continue
		}
		if have, err := storage.TasteMemories.Get(tx, to, id); err == nil && !have.UpdatedAt.Before(m.UpdatedAt) {
			continue
		}
		if err := storage.TasteMemories.Put(tx, to, m); err != nil {
			return err
		}
		moved = true
	}
	if h, err := storage.TasteOverrides.Get(tx, from); err == nil && from == storage.ScopeID(c.ID) {
		if _, err := storage.TasteOverrides.Get(tx, to); err != nil {
			h.Scope = to
			if err := storage.TasteOverrides.Put(tx, to, h); err != nil {
				return err
			}
		}
	}
	if !moved || svc.core.Settings().Taste.Off {
		return nil
	}
	_, err := svc.queueProfile(tx, to, c.ID)
	return err
}
