package taste

import (
	"cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxCardRunes limits a text of a card, in characters.
const maxCardRunes = 400

// CardFields are the fields of a preference card.
var CardFields = field.Record[storage.PreferenceCard]{
	Noun: "a card",
	New: func() storage.PreferenceCard {
		return storage.PreferenceCard{Confidence: storage.HighConfidence} // who says so oneself is sure
	},
	Fields: []field.Spec[storage.PreferenceCard]{
		{Name: "preference", Flag: "preference", Label: "You prefer", Help: "what you prefer", Rows: 3, Required: true,
			Runes: maxCardRunes,
			At:    func(c *storage.PreferenceCard) any { return &c.Preference }},
		{Name: "applies_to", Flag: "when", Label: "Applies to", Help: "when it applies", Rows: 2, Runes: maxCardRunes,
			At: func(c *storage.PreferenceCard) any { return &c.AppliesTo }},
		{Name: "avoid_applying_to", Flag: "avoid", Label: "Does not apply to", Help: "when it does not apply", Rows: 2,
			Runes: maxCardRunes,
			At:    func(c *storage.PreferenceCard) any { return &c.AvoidApplyingTo }},
		{Name: "confidence", Flag: "confidence", Label: "Confidence", Help: "how certain it is",
			Choices: field.Choices(storage.LowConfidence, storage.MediumConfidence, storage.HighConfidence),
			At:      func(c *storage.PreferenceCard) any { return &c.Confidence }},
		{Name: "for", Flag: "for", Label: "For", Help: "what it is about",
			Choices: field.Choices(lessons.Purposes()...),
			At: func(c *storage.PreferenceCard) any {
				return field.Computed{
					Get: func() string { return cmp.Or(c.For, lessons.ForShots) },
					Put: func(text string) error {
						if text != cmp.Or(c.For, lessons.ForShots) { // a card without one stays the same card
							c.For = text
						}
						return nil
					},
				}
			}},
		{Name: "evidence", Flag: "evidence", Group: "Evidence", Label: "Evidence",
			Help: "evidence, not sent to the model", Rows: 3,
			Runes: maxCardRunes,
			At:    func(c *storage.PreferenceCard) any { return &c.Evidence }},
	},
}
