package lessons

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MaxCards is the maximum number of a story's cards that are used.
const MaxCards = 8

// Card is a card with the user's changes.
type Card struct {
	storage.PreferenceCard
	Own         bool // the user's own, or the user's words
	Muted       bool // never in a prompt
	Deleted     bool
	BeyondLimit bool // MaxCards others precede it: kept, but in no prompt
}

// IsActive reports whether a card may be used.
func (c Card) IsActive() bool { return !c.Muted && !c.Deleted && !c.BeyondLimit }

// Cards applies the user's overrides to a profile's cards. The user's own cards follow the
// program's, also those whose original is gone from the profile; deleted ones are last. Cards
// beyond MaxCards are marked BeyondLimit, the program's before the user's.
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
			out = append(out, applyOverride(h.Cards[i], p))
		}
	}
	for i, c := range h.Cards {
		if !used[i] && c.Card != nil {
			out = append(out, applyOverride(c, storage.PreferenceCard{}))
		}
	}
	slices.SortStableFunc(out, func(a, b Card) int { return rank(a.Deleted) - rank(b.Deleted) })
	room := MaxCards
	for _, own := range []bool{true, false} {
		for i := range out {
			if c := &out[i]; c.Own == own && !c.Muted && !c.Deleted {
				room--
				c.BeyondLimit = room < 0
			}
		}
	}
	return out
}

// overrideOf returns the index of a card's override, by ID or by the original text; -1 for none.
func overrideOf(h storage.ProfileEdits, p storage.PreferenceCard) int {
	if i := slices.IndexFunc(h.Cards, func(c storage.CardEdits) bool { return c.ID == p.ID }); i >= 0 {
		return i
	}
	return slices.IndexFunc(h.Cards, func(c storage.CardEdits) bool {
		return c.Was != "" && text.Equal(c.Was, p.Preference)
	})
}

// applyOverride returns a card with an override. The user's text counts as certain.
func applyOverride(h storage.CardEdits, p storage.PreferenceCard) Card {
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

// level orders confidences, 0 for an unknown one.
func level(c storage.Confidence) int { return slices.Index(levels, c) + 1 }

var levels = []storage.Confidence{storage.LowConfidence, storage.MediumConfidence, storage.HighConfidence}

// levelOf returns the stored form of a confidence, low for an unknown one.
func levelOf(c storage.Confidence) storage.Confidence {
	c = storage.Confidence(text.Fold(string(c)))
	if slices.Contains(levels, c) {
		return c
	}
	return storage.LowConfidence
}

// SeenText says in how many scenes a preference was seen, "" if unknown.
func SeenText(c storage.CardCount) string {
	if c.Scenes == 0 {
		return ""
	}
	return "shown in " + counted(c.Scenes, "scene")
}
