package lessons

import (
	"slices"

	"ghostlight/storage"
)

// Card is a card as the user sees it: the program's, with the user's hand on it.
type Card struct {
	storage.PreferenceCard
	Own     bool // the user's own, or the user's words
	Muted   bool // never told
	Deleted bool
}

// Cards puts the user's hand on a profile's cards: a card is known again by its id,
// else by saying nearly what the card said that the user had before. The user's
// own cards come after the program's, also where the profile has lost what they
// were made of; deleted ones are last.
func Cards(t storage.Taste, h storage.TasteHand) []Card {
	hands := make([]heldCard, len(h.Cards))
	ids := map[storage.CardID]bool{}
	for i, c := range h.Cards {
		hands[i] = heldCard{HandCard: c, was: meaningOf(c.Was)}
		ids[c.ID] = true
	}
	var out []Card
	for _, p := range t.PreferenceCards {
		i := handOn(hands, ids[p.ID], p)
		if i < 0 {
			out = append(out, Card{PreferenceCard: p})
			continue
		}
		hand := &hands[i]
		if hand.Card != nil && hand.used {
			continue // said already, in the user's words
		}
		hand.used = true
		out = append(out, hand.on(p))
	}
	for i := range hands {
		if !hands[i].used && hands[i].Card != nil {
			out = append(out, hands[i].on(storage.PreferenceCard{}))
		}
	}
	slices.SortStableFunc(out, func(a, b Card) int { return rank(a.Deleted) - rank(b.Deleted) })
	return out
}

// heldCard is the user's hand on a card while the card is looked for.
type heldCard struct {
	storage.HandCard
	was  meaning
	used bool
}

// handOn finds the hand on a card; known says that one has its id.
func handOn(hands []heldCard, known bool, p storage.PreferenceCard) int {
	if known {
		return slices.IndexFunc(hands, func(h heldCard) bool { return h.ID == p.ID })
	}
	if len(hands) == 0 {
		return -1
	}
	m := meaningOf(p.Preference)
	return slices.IndexFunc(hands, func(h heldCard) bool { return h.Was != "" && (h.Was == p.Preference || h.was.same(m)) })
}

// on is what the hand makes of a card. What the user wrote counts as sure.
func (h heldCard) on(p storage.PreferenceCard) Card {
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
