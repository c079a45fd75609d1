package scribe

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
)

func TestKind(t *testing.T) {
	for raw, want := range map[string]string{
		"character": "character", "NPC": "character", "Person": "character", "Minor characters": "character", "Place": "location", "Orte": "location",
		"Magic item": "item", "Gegenstand": "item", "object": "item", "Organisation": "faction", "guilds": "faction", "Aufgabe": "quest", "event": "quest",
		"magic system": "rule", "Regel": "rule", "lieu": "location", "personaje": "character", "member of a guild": "", "house of Reed": "location",
		"": "", "xyzzy": "", "weapons": "item",
	} {
		if got := Kind(Types(), raw); got != want {
			t.Errorf("Kind(%q) = %q, want %q", raw, got, want)
		}
	}
	own := []string{"NPC", "Ort", "Sub-Plot"}
	for raw, want := range map[string]string{"character": "NPC", "location": "Ort", "sub plot": "Sub-Plot", "Sub-plot": "Sub-Plot", "item": "", "npc": "NPC"} {
		if got := Kind(own, raw); got != want {
			t.Errorf("own types: Kind(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestVague(t *testing.T) {
	for _, n := range []string{
		"the bartender", "The Bartender", "bartender", "amelia's sister", "Amelia's Sister", "Amelia’s older brother", "the old man", "an unknown woman",
		"Unknown", "???", "a hooded stranger", "his wife", "guard captain", "the captain of the guard", "the sister of Amelia", "the red key",
		"der Wirt", "Die alte Frau", "Amelias Schwester", "le barman", "la sœur d'Amelia", "el tabernero", "la hermana de Amelia", "die Schwester von Amelia", "",
		"Mara's house", "the man",
	} {
		if !Vague(n) {
			t.Errorf("%q names nobody", n)
		}
	}
	for _, n := range []string{
		"Mara", "mara", "Marcus Reed", "marcus reed", "The Rusty Flagon", "Captain Reed", "Old Tom", "Riverside Tavern", "Amelia's Diner", "Lady Vane",
		"Der Goldene Hirsch", "Sister Agnes", "King's Landing", "House of Reed", "真理", "Guard 7", "Excalibur", "El Dorado",
	} {
		if Vague(n) {
			t.Errorf("%q is a name", n)
		}
	}
}

func TestCompare(t *testing.T) {
	none := func(string) bool { return false }
	for _, tt := range []struct {
		a, b string
		want spelling
	}{
		{"Riverside Tavern", "Riversde Tavern", misspelt},
		{"Riverside Tavern", "River Side Tavern", misspelt},
		{"Riverside Tavern", "Rivesride Tavern", misspelt},
		{"Evangeline", "Evangaline", misspelt},
		{"Tom Reed", "Tom Reid", perhaps},
		{"Alexandra", "Alexandre", perhaps},
		{"Catherine", "Katherine", perhaps},
		{"Watcher", "Watchers", perhaps},
		{"North Gate", "South Gate", otherName},
		{"The Northern Watchtower", "The Nothern Watchtower", otherName},
		{"Guard 1", "Guard 2", otherName},
		{"Chapter Eleven", "Chapter Elevens", otherName},
		{"Tom Reed", "Tim Reid", otherName},
		{"Tom", "Tim", otherName},
		{"Mara Reed", "Mara", otherName},
		{"", "Mara", otherName},
	} {
		if got := compare(plist.FoldName(tt.a), plist.FoldName(tt.b), none); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := compare(plist.FoldName(tt.b), plist.FoldName(tt.a), none); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
	other := func(w string) bool { return w == "riversde" }
	if got := compare("riversde tavern", "riverside tavern", other); got != otherName {
		t.Error("a word of another entry is no slip")
	}
	if Near("The Rusty Flagon", "rusty flagon") != 1 || Near("Mara", "Tom") != 0 || !Same("Mara", plist.FoldName("MARA")) {
		t.Error("likeness of names")
	}
}
