package lore

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// editable are the fields of an entry that its form must offer: all but those
// that the program keeps for itself.
func editable() map[string]bool {
	own := []string{"ID", "UID", "Witnesses", "Facts", "Source", "Revision", "Before", "Cause", "At", "AtDepth", "Removed", "Past", "CreatedAt", "UpdatedAt"}
	out := map[string]bool{}
	for i := range reflect.TypeFor[storage.LoreEntry]().NumField() {
		if name := reflect.TypeFor[storage.LoreEntry]().Field(i).Name; !slices.Contains(own, name) {
			out[name] = true
		}
	}
	return out
}

// drawEntry is an entry with anything in its fields that a form can hold.
func drawEntry(t *rapid.T) storage.LoreEntry {
	word := rapid.StringMatching(`[a-zäß/]{1,8}( [a-z]{1,5})?`)
	words := rapid.SliceOfN(word, 1, 3)
	yes := rapid.Bool()
	ptrs := rapid.Ptr(rapid.Bool(), true)
	return storage.LoreEntry{
		Name: word.Draw(t, "name"), Aliases: words.Draw(t, "aliases"), Type: rapid.SampledFrom([]string{"", "item", "strange"}).Draw(t, "type"),
		Synopsis: word.Draw(t, "synopsis"), Content: word.Draw(t, "content") + "\n" + word.Draw(t, "more"),
		Keys: words.Draw(t, "keys"), SecondaryKeys: words.Draw(t, "secondary"), Selective: yes.Draw(t, "selective"),
		Logic: storage.LoreLogic(rapid.IntRange(0, 3).Draw(t, "logic")), Constant: yes.Draw(t, "constant"), Vectorized: yes.Draw(t, "vectorized"), Disabled: yes.Draw(t, "disabled"),
		Order: rapid.IntRange(-500, 500).Draw(t, "order"), Position: storage.LorePosition(rapid.IntRange(0, 7).Draw(t, "position")), Depth: rapid.IntRange(0, 99).Draw(t, "depth"),
		Role: rapid.SampledFrom([]storage.Role{"", storage.User, storage.Assistant}).Draw(t, "role"), Outlet: word.Draw(t, "outlet"),
		ScanDepth: rapid.Ptr(rapid.IntRange(0, 50), true).Draw(t, "scan"), CaseSensitive: ptrs.Draw(t, "case"), WholeWords: ptrs.Draw(t, "whole"), UseGroupScoring: ptrs.Draw(t, "scoring"),
		ExcludeRecursion: yes.Draw(t, "exclude"), PreventRecursion: yes.Draw(t, "prevent"), DelayUntilRecursion: rapid.IntRange(0, 5).Draw(t, "level"),
		Probability: rapid.Float64Range(0, 100).Draw(t, "probability"), UseProbability: yes.Draw(t, "by chance"), IgnoreBudget: yes.Draw(t, "ignore"),
		Group: word.Draw(t, "group"), GroupOverride: yes.Draw(t, "override"), GroupWeight: rapid.Float64Range(0, 1000).Draw(t, "weight"),
		Sticky: rapid.IntRange(0, 9).Draw(t, "sticky"), Cooldown: rapid.IntRange(0, 9).Draw(t, "cooldown"), Delay: rapid.IntRange(0, 9).Draw(t, "delay"),
		Triggers: words.Draw(t, "triggers"), Characters: rapid.Ptr(rapid.Just(storage.LoreFilter{Exclude: true, Names: []string{"Tove"}, Tags: []string{"sea", "night"}}), true).Draw(t, "filter"),
		MatchPersona: yes.Draw(t, "persona"), MatchDescription: yes.Draw(t, "description"), MatchPersonality: yes.Draw(t, "personality"),
		MatchDepthPrompt: yes.Draw(t, "note"), MatchScenario: yes.Draw(t, "scenario"), MatchCreatorNotes: yes.Draw(t, "creator"), Locked: yes.Draw(t, "locked"),
	}
}

// What the form shows of an entry is that entry: put into another one, field by
// field, it makes the same.
func TestForm_HoldsEveryField(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	specs := fieldSpecs([]string{"item", "character"})
	rapid.Check(t, func(t *rapid.T) {
		e, got := drawEntry(t), storage.NewLoreEntry()
		if e.Type == "strange" {
			got.Type = "strange" // is offered, but is no type that could be taken
		}
		for _, s := range specs {
			change, err := s.take(s.make(sty, &e))
			if err != nil {
				t.Fatalf("%s: %v", s.label, err)
			}
			change(&got)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Fatal(diff)
		}
		if left := differing(&e, &got); len(left) > 0 {
			t.Fatalf("%v differ", left)
		}
	})
}

// A field that is added to entries is missed here.
func TestForm_MissesNoField(t *testing.T) {
	def := storage.NewLoreEntry()
	e := def
	v := reflect.ValueOf(&e).Elem()
	want := editable()
	for name := range want {
		before := def
		e = def
		f := v.FieldByName(name)
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(!f.Bool())
		case reflect.Int:
			f.SetInt(f.Int() + 1)
		case reflect.Float64:
			f.SetFloat(f.Float() + 1)
		case reflect.String:
			f.SetString("x")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Pointer:
			p := reflect.New(f.Type().Elem())
			if filter, ok := p.Interface().(*storage.LoreFilter); ok {
				filter.Names = []string{"x"}
			}
			f.Set(p)
		}
		if got := differing(&e, &before); len(got) != 1 {
			t.Errorf("%s: the form shows %v", name, got)
		}
	}
}

func TestForm_SaysWhatIsWrong(t *testing.T) {
	sty := testLook(t, true)
	e := storage.NewLoreEntry()
	for label, bad := range map[string][]string{
		"Order":       {"", "x", "1.5", "99999999999999999999"},
		"Depth":       {"-1", "", "1e3"},
		"Scan depth":  {"-1", "many"},
		"Probability": {"101", "-0.1", "NaN", "Inf", "half", ""},
		"Sticky":      {"-1", "∞"},
	} {
		specs := fieldSpecs(nil)
		s := specs[slices.IndexFunc(specs, func(s fieldSpec) bool { return s.label == label })]
		for _, text := range bad {
			f := s.make(sty, &e)
			f.Input.Area.SetValue(text)
			if _, err := s.take(f); err == nil {
				t.Errorf("%s takes %q", label, text)
			}
		}
	}
}

func TestFindEntries(t *testing.T) {
	rows := []lore.Row{}
	for _, e := range []storage.LoreEntry{
		EntryOf("Marta", "character", "Keeps the inn.", "innkeeper"),
		EntryOf("The Blue Gull", "location", "An inn at the quay where sailors drink.", "gull"),
		EntryOf("Isle of Nine Nights", "location", "Far away.", "isle"),
		EntryOf("Compass", "item", "Points to the quay, always.", "needle"),
	} {
		rows = append(rows, lore.Row{LoreEntry: e})
	}
	texts := [][]searchText{nil, searchTexts(rows, nil, nil)}
	for want, names := range map[string]string{
		"inn":         "Marta, The Blue Gull", // by rank; what only has the letters is left out
		"GULL":        "The Blue Gull",
		"quay":        "The Blue Gull, Compass",
		"quay sailor": "The Blue Gull",
		"character":   "Marta",
		"mrta":        "Marta",
		"zzz":         "",
	} {
		var got []string
		for _, h := range findEntries(texts, want, &atomic.Bool{}) {
			if h.book != 1 {
				t.Fatalf("%q: a hit in book %d", want, h.book)
			}
			got = append(got, rows[h.row].Name)
		}
		if got := strings.Join(got, ", "); got != names {
			t.Errorf("%q finds %q, want %q", want, got, names)
		}
	}
	stopped := &atomic.Bool{}
	stopped.Store(true)
	if hits := findEntries(texts, "inn", stopped); hits != nil {
		t.Error("a search that was ended went on")
	}
}

// BenchmarkLoreFind is the search alone.
func BenchmarkLoreFind(b *testing.B) {
	texts := [][]searchText{searchTexts(ManyEntries(10_000), nil, nil)}
	b.ReportAllocs()
	for b.Loop() {
		findEntries(texts, "lantern", &atomic.Bool{})
	}
}
