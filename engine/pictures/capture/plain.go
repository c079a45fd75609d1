package capture

import "strings"

// plainLooks bounds, in runes, what a plain prompt says of somebody.
const plainLooks = 600

// PlainAnswer is an answer that no model was asked for: what was requested, the looks of
// those whom it names, and the style. Where nothing was requested nobody knows what
// to show, and its prompt is "".
func PlainAnswer(in Input) Answer {
	if strings.TrimSpace(in.Requested) == "" {
		return Answer{}
	}
	card := in.Character.Card
	parts := []string{in.Requested}
	for _, one := range []struct{ name, looks string }{
		{card.CharName(), or(in.Character.Imagery.Appearance, in.Description, card.Description)},
		{in.Persona.Name, or(in.PersonaText, in.Persona.Description)},
	} {
		if one.looks != "" && Calls(in.Requested, one.name) {
			parts = append(parts, one.name+": "+truncate(one.looks, plainLooks))
		}
	}
	parts = append(parts, truncate(Style(in), plainLooks))
	var b strings.Builder
	for _, p := range parts {
		if p = strings.Join(strings.Fields(p), " "); p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p)
		if !strings.ContainsRune(".!?…\"”", last(p)) {
			b.WriteByte('.')
		}
	}
	return Answer{Prompt: b.String(), NegativePrompt: negative(in), Reasoning: "Made without a model."}
}
