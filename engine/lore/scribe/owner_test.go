package scribe

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestOwned(t *testing.T) {
	for _, tt := range []struct{ name, typ, content, want, wantContent string }{
		{"Clara", "character", "[character-Clara: calm]", "Clara", "[character-Clara: calm]"},
		{"Character: Clara", "character", "[character-Character: Clara: calm]", "Clara", ""},
		{"NPC: Clara Voss", "npc", "[npc-Clara Voss: calm]", "Clara Voss", "[npc-Clara Voss: calm]"},
		{"[location] The Mill", "location", "[location-The Mill: burnt]", "The Mill", "[location-The Mill: burnt]"},
		{"character-Clara", "character", "[character-Clara: calm]", "Clara", "[character-Clara: calm]"},
		{"Alice's courage", "character", "[character-Alice's courage: brave, went in alone]", "Alice", "[character-Alice: brave, went in alone]"},
		{"Alice’s fear of water", "trait", "[trait-Alice’s fear of water: cannot swim]", "Alice", "[trait-Alice: cannot swim]"},
		{"Alice's courage", "character", "[character-Alice: brave]", "Alice", "[character-Alice: brave]"},
		// What is not to be touched.
		{"Alice's diary", "item", "[item-Alice's diary: red]", "Alice's diary", "[item-Alice's diary: red]"},
		{"Alice's sister", "character", "[character-Alice's sister: tall]", "Alice's sister", "[character-Alice's sister: tall]"},
		{"The Queen's Head", "location", "[location-The Queen's Head: an inn]", "The Queen's Head", "[location-The Queen's Head: an inn]"},
		{"Person of Interest: The Baker", "character", "x", "Person of Interest: The Baker", "x"},
		{"Queen-Mother", "character", "x", "Queen-Mother", "x"},
		{"the guard's courage", "character", "x", "the guard's courage", "x"},
		{"", "character", "x", "", "x"},
		{"Quest:", "quest", "x", "Quest:", "x"},
	} {
		got := Owned(storage.LoreCandidate{Name: tt.name, Type: tt.typ, Content: tt.content}, Types())
		if got.Name != tt.want || tt.wantContent != "" && got.Content != tt.wantContent {
			t.Errorf("%q (%s): %q with %s", tt.name, tt.typ, got.Name, got.Content)
		}
	}
}
