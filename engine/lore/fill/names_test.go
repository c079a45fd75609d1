package fill

import "testing"

func TestKind(t *testing.T) {
	for raw, want := range map[string]string{"character": "character", " Character": "character", "NPC": "", "": ""} {
		if got := MatchType(Types(), raw); got != want {
			t.Errorf("Kind(%q) = %q, want %q", raw, got, want)
		}
	}
	own := []string{"NPC", "Ort", "Sub-Plot"}
	for raw, want := range map[string]string{"sub plot": "Sub-Plot", "ORT": "Ort", "npc": "NPC", "item": ""} {
		if got := MatchType(own, raw); got != want {
			t.Errorf("own types: Kind(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     bool
	}{
		{"Mara", "[character-Mara Reed: calm]", true}, {"mara reed", "REED, Mara", true}, {"Mara", "Maraschino", false}, {"", "Mara", false}, {"рука", "рукав", false},
	} {
		if isPartOf(tt.name, tt.in) != tt.want {
			t.Errorf("%q in %q", tt.name, tt.in)
		}
	}
}
