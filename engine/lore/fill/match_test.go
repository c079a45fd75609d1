package fill

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func cand(name, content string, keywords ...string) storage.LoreCandidate {
	return storage.LoreCandidate{Name: name, Type: "character", Keywords: keywords, Content: content}
}

func TestMatch(t *testing.T) {
	reg := []RegistryEntry{
		{ID: "mara", Name: "Mara Reed", Aliases: []string{"the keeper", "Red"}, Content: "[character-Mara Reed: keeper, owes(Robin), calm]"},
		{ID: "tom", Name: "Tom Reed", Aliases: []string{"Red"}, Content: "[character-Tom Reed: sailor, blind, from(Ulm)]"},
		{ID: "inn", Name: "The Riverside Tavern"},
		{ID: "north", Name: "North Gate", Content: "[location-North Gate: iron, old]"},
		{ID: "eva", Name: "Evangeline"}, {ID: "ava", Name: "Evangelina"},
		{ID: "twin1", Name: "Ash"}, {ID: "twin2", Name: "ash", Aliases: []string{"Mara Reed"}},
	}
	for _, tt := range []struct {
		name    string
		c       storage.LoreCandidate
		verdict Verdict
		entry   storage.EntryID
	}{
		{"exact", cand("mara reed", "[character-Mara Reed: wounded]"), Matched, "mara"},
		{"an alias", cand("The Keeper", "[character-Keeper: wounded]"), Matched, "mara"},
		{"nothing new", cand("Mara Reed", "[character-Mara Reed: calm, Keeper]"), NothingNew, "mara"},
		{"a name counts before an alias", cand("Mara Reed", "[x-y: z]"), Matched, "mara"},
		{"an alias of two", cand("Red", "x"), AskModel, ""},
		{"a name of two", cand("ASH", "x"), AskModel, ""},
		{"another gate", cand("South Gate", "[location-South Gate: iron, old]"), AskModel, ""},
		{"perhaps another person", cand("Tom Reid", "[character-Tom Reid: baker]"), AskModel, ""},
		{"between two", cand("Evangelin", "x"), AskModel, ""},
		{"unlike", cand("Lantern", "x"), AskModel, ""},
		{"a role", cand("the bartender", "x"), AskModel, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Match(tt.c, reg)
			if d.Verdict != tt.verdict || d.Entry != tt.entry || d.Why == "" {
				t.Errorf("%+v, want %s %s", d, tt.verdict, tt.entry)
			}
		})
	}
	if d := Match(cand("Mara", "x"), nil); d.Verdict != NewEntry {
		t.Errorf("%+v", d)
	}
}

func TestSaysAll(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"[c-M: a, b]", "[c-M: B, a]", true}, {"[c-M: a]", "[c-M: a, b]", false}, {"", "", false}, {"[c-M: a]", "", true}, {"Calm. Old.", "- calm", true},
	} {
		if HasAllFacts(tt.a, tt.b) != tt.want {
			t.Errorf("%q, %q", tt.a, tt.b)
		}
	}
}

func bigRegistry(n int) []RegistryEntry {
	out := make([]RegistryEntry, n)
	for i := range out {
		out[i] = RegistryEntry{ID: storage.EntryID(fmt.Sprint("e", i)), Name: fmt.Sprintf("Wanderer %c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26), Synopsis: "walks the roads"}
	}
	return out
}

func TestLikeliest(t *testing.T) {
	reg := bigRegistry(10000)
	reg[7000] = RegistryEntry{ID: "tom", Name: "Thomas Reed"}
	reg[9000] = RegistryEntry{ID: "x", Name: "Flagon", Aliases: []string{"the bartender"}}
	c := cand("Tom Reed", "[character-Tom Reed: pours ale]", "bartender")
	got := ClosestEntries(c, reg, 20)
	if len(got) != 20 || !slices.ContainsFunc(got, func(l RegistryEntry) bool { return l.ID == "tom" }) || !slices.ContainsFunc(got, func(l RegistryEntry) bool { return l.ID == "x" }) {
		t.Errorf("%v", got)
	}
	again := ClosestEntries(c, got, 20)
	if d := cmp.Diff(got, again); d != "" {
		t.Error("not the same again:", d)
	}
	place := func(l RegistryEntry) int {
		return slices.IndexFunc(reg, func(r RegistryEntry) bool { return r.ID == l.ID })
	}
	if !slices.IsSortedFunc(got, func(a, b RegistryEntry) int { return place(a) - place(b) }) {
		t.Error("not in the registry's order")
	}
	if got := ClosestEntries(c, reg, 0); len(got) != MaxRegistryEntries {
		t.Error(len(got))
	}
	if got := ClosestEntries(c, reg[:5], 20); len(got) != 5 {
		t.Error(len(got))
	}
}

func TestMatch_NeverTakesWhatItDoesNotKnow(t *testing.T) {
	word := rapid.SampledFrom([]string{"Tom", "Reed", "Reid", "north", "Gate", "the", "Evangeline", "Evangaline", "7", "真理", "", "'s", "of"})
	name := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		var reg []RegistryEntry
		for i := range rapid.IntRange(0, 6).Draw(t, "lines") {
			reg = append(reg, RegistryEntry{ID: storage.EntryID(fmt.Sprint(i)), Name: name.Draw(t, "name"), Aliases: []string{name.Draw(t, "alias")}, Content: "[c-x: a, b]"})
		}
		c := cand(name.Draw(t, "candidate"), rapid.SampledFrom([]string{"[c-x: a, b]", "[c-x: a, c]", ""}).Draw(t, "content"))
		d := Match(c, reg)
		known := slices.ContainsFunc(reg, func(l RegistryEntry) bool { return l.ID == d.Entry })
		if known != (d.Verdict == Matched || d.Verdict == NothingNew) {
			t.Fatalf("%+v", d)
		}
		if d2 := Match(c, reg); d2 != d {
			t.Fatalf("%+v, then %+v", d, d2)
		}
	})
}

func BenchmarkMatch10000(b *testing.B) {
	reg := bigRegistry(10000)
	c := cand("Tom Reed", "[character-Tom Reed: pours ale]", "bartender")
	for b.Loop() {
		Match(c, reg)
	}
}

func BenchmarkLikeliest10000(b *testing.B) {
	reg := bigRegistry(10000)
	c := cand("Tom Reed", "[character-Tom Reed: pours ale]", "bartender")
	for b.Loop() {
		ClosestEntries(c, reg, 0)
	}
}
