package lessons

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Card is a card as the user sees it: the program's, with the user's changes.
type Card struct {
	storage.PreferenceCard
	Own     bool // the user's own, or the user's words
	Muted   bool // never told
	Deleted bool
	// Held says why it is not told, and HeldWhy in which words; see Details.Hold, which
	// whoever shows cards asks.
	Held    Held
	HeldWhy string
}

// Cards applies the user's overrides to a profile's cards: a card is known again by its id,
// else by saying nearly what the card said that the user had before. The user's
// own cards come after the program's, also where the profile has lost what they
// were made of; deleted ones are last.
func Cards(t storage.Taste, h storage.TasteHand) []Card {
	overrides := make([]cardOverride, len(h.Cards))
	ids := map[storage.CardID]bool{}
	for i, c := range h.Cards {
		overrides[i] = cardOverride{HandCard: c, was: meaningOf(c.Was)}
		ids[c.ID] = true
	}
	var out []Card
	for _, p := range t.PreferenceCards {
		i := overrideOf(overrides, ids[p.ID], p)
		if i < 0 {
			out = append(out, Card{PreferenceCard: p})
			continue
		}
		overrides := &overrides[i]
		if overrides.Card != nil && overrides.used {
			continue // said already, in the user's words
		}
		overrides.used = true
		out = append(out, overrides.on(p))
	}
	for i := range overrides {
		if !overrides[i].used && overrides[i].Card != nil {
			out = append(out, overrides[i].on(storage.PreferenceCard{}))
		}
	}
	slices.SortStableFunc(out, func(a, b Card) int { return rank(a.Deleted) - rank(b.Deleted) })
	return out
}

// cardOverride is what the user changed of a card, while the card is looked for.
type cardOverride struct {
	storage.HandCard
	was  meaning
	used bool
}

// overrideOf finds the index of a card's override, -1 for none; known says that one has its id.
func overrideOf(overrides []cardOverride, known bool, p storage.PreferenceCard) int {
	if known {
		return slices.IndexFunc(overrides, func(h cardOverride) bool { return h.ID == p.ID })
	}
	if len(overrides) == 0 {
		return -1
	}
	m := meaningOf(p.Preference)
	return slices.IndexFunc(overrides, func(h cardOverride) bool { return h.Was != "" && (h.Was == p.Preference || h.was.same(m)) })
}

// on applies the override to a card. What the user wrote counts as sure.
func (h cardOverride) on(p storage.PreferenceCard) Card {
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
