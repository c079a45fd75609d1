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

// What the user may write about taste, in runes, and how many cards.
const (
	longestSummary = 2000
	mostOverrides  = 200
)

// changeTaste changes what the user overrides of a story's profile.
func (svc *Service) changeTaste(op string, scope storage.ScopeID, f func(t storage.Taste, h *storage.ProfileEdits) error) error {
	err := svc.memory.InStory(op, scope, func(tx *storage.Tx) error {
		t, h, err := tasteOf(tx, scope)
		if err != nil {
			return err
		}
		if err := f(t, &h); err != nil {
			return err
		}
		if len(h.Cards) == 0 && h.Summary == "" {
			return failure.IgnoreMissing(storage.TasteHands.Delete(tx, scope))
		}
		h.UpdatedAt = svc.core.Config.Now()
		return storage.TasteHands.Put(tx, scope, h)
	})
	if err == nil {
		svc.core.Emit(Changed{scope})
	}
	return err
}

// SaveCard keeps the user's words for a card, or a card of the user's own where it
// has no id. One that says again what the program says is the program's again.
func (svc *Service) SaveCard(scope storage.ScopeID, c storage.PreferenceCard) (storage.PreferenceCard, error) {
	for _, text := range []*string{&c.Preference, &c.AppliesTo, &c.AvoidApplyingTo, &c.Evidence} {
		*text = strings.TrimSpace(*text)
	}
	if c.Confidence == "" {
		c.Confidence = storage.HighConfidence // who says so oneself is sure
	}
	if err := CardFields.Valid(&c); err != nil {
		return c, failure.Fail("save card", err)
	}
	err := svc.changeTaste("save card", scope, func(t storage.Taste, h *storage.ProfileEdits) error {
		if c.ID == "" {
			if len(h.Cards) >= mostOverrides { // what was deleted for good makes room
				h.Cards = slices.DeleteFunc(h.Cards, func(x storage.CardEdits) bool { return x.Deleted && x.Was == "" })
			}
			if len(h.Cards) >= mostOverrides {
				return failure.Refuse("a profile holds %d cards that you wrote or changed: delete one first", mostOverrides)
			}
			c.ID = storage.CardID(storage.NewID())
			h.Cards = append(h.Cards, storage.CardEdits{ID: c.ID, Card: &c})
			return checkRoom(t, *h, c.ID)
		}
		x, err := overrideOf(t, h, c.ID)
		if err != nil {
			return err
		}
		x.Card = &c
		if i := programCard(t, c.ID); i >= 0 && t.PreferenceCards[i] == c {
			x.Card = nil
		}
		*h = without(*h, t)
		return nil
	})
	return c, err
}

// programCard finds a card among those of the program, -1 for none.
func programCard(t storage.Taste, id storage.CardID) int {
	return slices.IndexFunc(t.PreferenceCards, func(c storage.PreferenceCard) bool { return c.ID == id })
}

// overrideOf is the user's override of a card that there is, to be changed; it is made where there is none.
func overrideOf(t storage.Taste, h *storage.ProfileEdits, id storage.CardID) (*storage.CardEdits, error) {
	if i := slices.IndexFunc(h.Cards, func(x storage.CardEdits) bool { return x.ID == id }); i >= 0 {
		return &h.Cards[i], nil
	}
	i := programCard(t, id)
	switch {
	case i < 0:
		return nil, &failure.Missing{Kind: "card", Ref: string(id)}
	case len(h.Cards) >= mostOverrides:
		return nil, failure.Refuse("a profile holds %d cards that you wrote or changed: restore one first", mostOverrides)
	}
	h.Cards = append(h.Cards, storage.CardEdits{ID: id, Was: t.PreferenceCards[i].Preference})
	return &h.Cards[len(h.Cards)-1], nil
}

// checkRoom refuses cards for which there is no room among those that are used.
func checkRoom(t storage.Taste, h storage.ProfileEdits, ids ...storage.CardID) error {
	for _, c := range lessons.Cards(t, h) {
		if c.Over && slices.Contains(ids, c.ID) {
			return failure.Refuse("%d cards are used already: mute or delete one first", lessons.MostCards)
		}
	}
	return nil
}

// without leaves out what changes nothing of the program's cards.
func without(h storage.ProfileEdits, t storage.Taste) storage.ProfileEdits {
	h.Cards = slices.DeleteFunc(h.Cards, func(x storage.CardEdits) bool {
		return x.Was != "" && x.Card == nil && !x.Muted && !x.Deleted
	})
	return h
}

// ActCards does something to cards and says to how many.
func (svc *Service) ActCards(scope storage.ScopeID, ids []storage.CardID, do Action) (n int, err error) {
	if !slices.Contains([]Action{MuteCards, UnmuteCards, DeleteCards, RestoreCards}, do) {
		return 0, failure.Fail("change cards", failure.Refuse("cards cannot be told to %q", failure.FirstRunes(string(do), 40)))
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
		*h = without(*h, t)
		if do == UnmuteCards || do == RestoreCards {
			return checkRoom(t, *h, ids...)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// SaveSummary keeps the user's words in place of the profile's summary; ""
// gives the profile's back.
func (svc *Service) SaveSummary(scope storage.ScopeID, text string) error {
	text = strings.TrimSpace(text)
	if err := checkTasteSummary(text); err != nil {
		return failure.Fail("save summary", err)
	}
	return svc.changeTaste("save summary", scope, func(t storage.Taste, h *storage.ProfileEdits) error {
		if h.Summary = text; text == t.ProfileSummary {
			h.Summary = ""
		}
		return nil
	})
}

func checkTasteSummary(text string) error {
	if failure.FirstRunes(text, longestSummary) != text {
		return failure.Refuse("a summary may have %d characters: shorten it; the one before is kept", longestSummary)
	}
	return nil
}

// PutHand puts the user's overrides of a profile back as they were: what has changed
// it is undone.
func (svc *Service) PutHand(scope storage.ScopeID, was storage.ProfileEdits) error {
	err := checkTasteSummary(was.Summary)
	if len(was.Cards) > mostOverrides {
		err = failure.Refuse("a profile holds %d cards that you wrote or changed", mostOverrides)
	}
	for _, x := range was.Cards {
		if x.Card != nil && err == nil {
			err = CardFields.Valid(x.Card)
		}
	}
	if err != nil {
		return failure.Fail("undo", err)
	}
	return svc.changeTaste("undo", scope, func(_ storage.Taste, h *storage.ProfileEdits) error {
		h.Summary, h.Cards = was.Summary, slices.Clone(was.Cards)
		return nil
	})
}

// DeleteMemory forgets what a scene has taught, and has the profile made anew;
// of the last one the profile goes with it.
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
		return failure.Fail(op, err) // before anything that is to be learnt is called off
	}
	svc.cancelLearning(scope, scene)
	return svc.forget(op, scope, func(tx *storage.Tx) error {
		if err := storage.TasteMemories.Delete(tx, scope, scene); err != nil {
			return err
		}
		_, err := svc.profileNext(tx, scope, chatOfStory(tx, scope))
		return err
	})
}

// Reset forgets everything that was learnt of a story, the user's own cards
// among it.
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
		return failure.IgnoreMissing(storage.TasteHands.Delete(tx, scope))
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

// cancelLearning stops what is being learnt of a story, or of one of its scenes:
// else it would bring back what is forgotten now.
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

// MoveTaste takes along what a chat's scenes have taught, when the chat comes into
// another story. Where they come from they stay. A story in which the user had no
// overrides yet goes on with what the user said in the chat's own.
func (svc *Service) MoveTaste(tx *storage.Tx, m director.Moved) error {
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
	if h, err := storage.TasteHands.Get(tx, from); err == nil && from == storage.ScopeID(c.ID) {
		if _, err := storage.TasteHands.Get(tx, to); err != nil {
			h.Scope = to
			if err := storage.TasteHands.Put(tx, to, h); err != nil {
				return err
			}
		}
	}
	if !moved || svc.core.Settings().Taste.Off {
		return nil
	}
	_, err := svc.profileNext(tx, to, c.ID)
	return err
}
