package fill

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestFresh(t *testing.T) {
	for _, tt := range []struct {
		name           string
		c              storage.LoreCandidate
		typ, content   string
		keys           []string
		synopsis, said string
	}{
		{"a list", storage.LoreCandidate{Name: "Mara Reed", Keywords: []string{"Lighthouse", "mara"}, Content: "[NPC-mara reed: keeper,, owes(Robin)]"}, "character",
			"[character-Mara Reed: keeper, owes(Robin)]", []string{"mara reed", "lighthouse", "mara"}, "keeper, owes(Robin)", ""},
		{"sentences", storage.LoreCandidate{Name: "The Rusty Flagon", Keywords: []string{"“Flagon”", "tavern in ulm", "Robin", "x", "y"}, Content: "The Rusty Flagon is a tavern, in Ulm. Tom Reed owns the Rusty Flagon (since May).\n- sells ale"}, "location",
			"[location-The Rusty Flagon: The Rusty Flagon is a tavern – in Ulm, Tom Reed owns the Rusty Flagon since May, sells ale]", []string{"the rusty flagon", "flagon", "tavern in ulm", "x"}, "a tavern in Ulm", "a tavern in Ulm"},
		{"an unclosed list", storage.LoreCandidate{Name: "Key", Keywords: []string{"iron key", "gate"}, Content: "[item-Key: iron, opens(gate"}, "item",
			"[item-Key: iron, opens(gate)]", []string{"key", "iron key", "gate"}, "iron, opens(gate)", ""},
		{"no key that nobody gave", storage.LoreCandidate{Name: "North gate", Content: "[location-North gate: barred]"}, "location",
			"[location-North gate: barred]", []string{"north gate"}, "barred", ""},
		{"a fuller name in the content", storage.LoreCandidate{Name: "Mara", Content: "[character-Mara Reed: calm]"}, "character", "[character-Mara Reed: calm]", []string{"mara reed"}, "calm", ""},
		{"a fuller name", storage.LoreCandidate{Name: "Mara Reed", Content: "[character-Mara: calm]"}, "character", "[character-Mara Reed: calm]", []string{"mara reed"}, "calm", ""},
		{"another script", storage.LoreCandidate{Name: "真理", Keywords: []string{"灯台"}, Content: "灯台守。静か。"}, "character",
			"[character-真理: 灯台守, 静か]", []string{"真理", "灯台"}, "灯台守, 静か", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, problems := BuildEntry(tt.c, tt.typ, tt.said, "Robin", "Jill Marsh")
			if len(problems) > 0 {
				t.Errorf("%v", problems)
			}
			if e.Content != tt.content || e.Synopsis != tt.synopsis || e.Type != tt.typ || !e.Selective || e.Order != 100 {
				t.Errorf("%+v", e)
			}
			if tt.c.Name != e.Name && (len(e.Aliases) != 1 || e.Aliases[0] != tt.c.Name) {
				t.Errorf("aliases %v", e.Aliases)
			}
			if d := cmp.Diff(tt.keys, e.Keys); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFresh_SaysWhatIsWrong(t *testing.T) {
	for content, want := range map[string]plist.Fault{
		"[character-Tom: a]":                     plist.OtherHead,
		"[character-Mara: a(b(c(d)))]":           plist.TooDeep,
		"[character-Mara: a] [character-Tom: b]": plist.TwoEntries,
		"":                                       plist.Empty,
	} {
		_, problems := BuildEntry(storage.LoreCandidate{Name: "Mara", Content: content}, "character", "")
		if len(problems) == 0 || problems[0].Kind != want {
			t.Errorf("%q: %v", content, problems)
		}
	}
}

func TestFresh_KeepsSecondaryKeysAndNamesOfItsOwn(t *testing.T) {
	e, _ := BuildEntry(storage.LoreCandidate{Name: "Robin Hale", Keywords: []string{"robin"}, SecondaryKeys: []string{" Debt ", "debt", "Coins", "", "robin"}, Content: "[character-Robin Hale: calm]"}, "character", "", "Robin")
	if d := cmp.Diff([][]string{{"robin hale"}, {"debt", "coins", "robin"}}, [][]string{e.Keys, e.SecondaryKeys}); d != "" {
		t.Error(d)
	}
	c := storage.LoreCandidate{Name: "Hale Manor", Keywords: []string{"Robin Hale", "manor"}, Content: "[location-Hale Manor: old]"}
	if e, _ = BuildEntry(c, "location", "", "Robin Hale"); strings.Join(e.Keys, ",") != "hale manor,manor" {
		t.Error(e.Keys)
	}
}

func TestPersona(t *testing.T) {
	for in, want := range map[string]string{
		"[character-Mara: owes(Robin), Robin's friend, Robinson, (xRobin)]": "[character-Mara: owes({{user}}), {{user}}'s friend, Robinson, (xRobin)]",
		"[item-Robin: a bird, Robin]":                                       "[item-Robin: a bird, Robin]",
		"Robin is calm.":                                                    "Robin is calm.",
		"[item-Robin Box: of Robin]":                                        "[item-Robin Box: of {{user}}]",
	} {
		if got := WithUserMacro(in, "Robin"); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if in := "[c-M: a]"; WithUserMacro(in, "") != in {
		t.Error("nobody's name was found")
	}
}
