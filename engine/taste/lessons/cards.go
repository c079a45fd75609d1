package lessons

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MostCards is how many cards of a story are used.
const MostCards = 8

// Card is a card as the user sees it: the program's, with the user's changes.
type Card struct {
	storage.PreferenceCard
	Own     bool // the user's own, or the user's words
	Muted   bool // never told
	Deleted bool
	Over    bool // there are MostCards others before it: kept, but not told
}

// Used reports whether a card may be told.
func (c Card) Used() bool { return !c.Muted && !c.Deleted && !c.Over }

// Cards applies the user's overrides to a profile's cards. The user's own cards come
// after the program's, also where the profile has lost what they were made of; deleted
// ones are last. Beyond MostCards they are Over, the program's before the user's own.
func Cards(t storage.Taste, h storage.ProfileEdits) []Card {
	var out []Card
	used := map[int]bool{}
	for _, p := range t.PreferenceCards {
		i := overrideOf(h, p)
		switch {
		case i < 0:
			out = append(out, Card{PreferenceCard: p})
		case !used[i]:
			used[i] = true
			out = append(out, overridden(h.Cards[i], p))
		}
	}
	for i, c := range h.Cards {
		if !used[i] && c.Card != nil {
			out = append(out, overridden(c, storage.PreferenceCard{}))
		}
	}
	slices.SortStableFunc(out, func(a, b Card) int { return rank(a.Deleted) - rank(b.Deleted) })
	room := MostCards
	for _, own := range []bool{true, false} {
		for i := range out {
			if c := &out[i]; c.Own == own && !c.Muted && !c.Deleted {
				room--
				c.Over = room < 0
			}
		}
	}
	return out
}

// overrideOf finds the index of a card's override, by id or by the words that it was
// made of; -1 for none.
func overrideOf(h storage.ProfileEdits, p storage.PreferenceCard) int {
	if i := slices.IndexFunc(h.Cards, func(c storage.CardEdits) bool { return c.ID == p.ID }); i >= 0 {
		return i
	}
	return slices.IndexFunc(h.Cards, func(c storage.CardEdits) bool { return c.Was != "" && text.Equal(c.Was, p.Preference) })
}

// overridden is a card with an override. What the user wrote counts as sure.
func overridden(h storage.CardEdits, p storage.PreferenceCard) Card {
	c := Card{PreferenceCard: p, Muted: h.Muted, Deleted: h.Deleted}
	if h.Card != nil {
		c.Own = true
		c.PreferenceCard = *h.Card
		if c.Evidence == "" {
			c.Evidence = p.Evidence
		}
		if level(c.Confidence) == 0 {
			c.Confidence = storage.HighConfidence
		}
	}
	c.ID = h.ID
	return c
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

// level orders confidences, 0 for what is none.
func level(c storage.Confidence) int { return slices.Index(levels, c) + 1 }

var levels = []storage.Confidence{storage.LowConfidence, storage.MediumConfidence, storage.HighConfidence}

// levelOf is a confidence as it is kept, low for another word.
func levelOf(c storage.Confidence) storage.Confidence {
	c = storage.Confidence(text.Fold(string(c)))
	if slices.Contains(levels, c) {
		return c
	}
	return storage.LowConfidence
}

// SeenWords says in how many scenes a preference was shown, "" where that is not known.
func SeenWords(c storage.CardCount) string {
	if c.Scenes == 0 {
		return ""
	}
	return "shown in " + counted(c.Scenes, "scene")
}
