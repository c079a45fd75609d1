package plist

import (
	"strings"
	"testing"
)

func TestWith(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		facts         []string
		want          string
	}{
		{"an entry", "[character-Mara:  keeper, hair(red),  calm]\n", []string{"calm", "hair(black)", "keeper"}, "[character-Mara: calm, hair(black), keeper]\n"},
		{"all of it", "[character-Mara:  keeper, hair(red),  calm]\n", []string{"keeper", "hair(red)", "calm"}, "[character-Mara:  keeper, hair(red),  calm]\n"},
		{"nothing", "[character-Mara: keeper]", nil, ""},
		{"sentences", "Mara keeps the light. She has red hair.", []string{"Mara keeps the light.", "Mara lost the lantern."}, "Mara keeps the light. Mara lost the lantern."},
		{"without the first", "Mara keeps the light. She has red hair.", []string{"She has red hair."}, "She has red hair."},
		{"lines", "- keeps the light\n- red hair\n", []string{"- red hair", "- calm"}, "- red hair\n- calm\n"},
		{"no facts before", "", []string{"One.", "Two."}, "One. Two."},
	} {
		if got := ReplaceFacts(tt.content, tt.facts); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestOnly(t *testing.T) {
	public := func(fact string) bool { return !strings.Contains(fact, "hides") }
	for _, tt := range []struct{ text, content, want string }{
		{"[character-Mara: keeper, hides(boathouse), owes(Robin)]", "[character-Mara: keeper, hides(boathouse), owes({{user}})]", "[character-Mara: keeper, owes(Robin)]"},
		{"[character-Mara: keeper]", "[character-Mara: keeper]", "[character-Mara: keeper]"},
		{"[character-Mara: hides(boathouse)]", "[character-Mara: hides(boathouse)]", ""},
		{"Mara hides in the boathouse. Mara is calm.", "Mara hides in the boathouse. Mara is calm.", "Mara is calm."},
		{"[character-Mara: a, b, hides(c)]", "[character-Mara: {{x}}, hides(c)]", ""}, // cannot be told apart
	} {
		if got := KeepFacts(tt.text, tt.content, public); got != tt.want {
			t.Errorf("%q: %q", tt.text, got)
		}
	}
}
