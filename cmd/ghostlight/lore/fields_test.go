package lore

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestCutKeys(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", []string{}},
		{" , ,", []string{}},
		{"inn", []string{"inn"}},
		{"inn, the tavern ,bar", []string{"inn", "the tavern", "bar"}},
		{"/a{1,2}/i, inn", []string{"/a{1,2}/i", "inn"}},
		{"inn, /a,b/", []string{"inn", "/a,b/"}},
		{`/a\/,b/gu,c`, []string{`/a\/,b/gu`, "c"}},
		{"/a,b", []string{"/a", "b"}},
		{"either/or, and", []string{"either/or", "and"}},
		{"/a/ b, c", []string{"/a/ b", "c"}},
		{"one, two\nthree", []string{"one, two", "three"}},
		{"inn\n", []string{"inn"}},
	} {
		if diff := cmp.Diff(c.want, cutKeys(c.in)); diff != "" {
			t.Errorf("%q: %s", c.in, diff)
		}
	}
}

func FuzzCutKeys(f *testing.F) {
	for _, s := range []string{"inn, /a,b/i", "/\\/,", "a\n\nb", "//,/,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list := cutKeys(s)
		for _, key := range list {
			if key == "" || strings.TrimSpace(key) != key || !strings.Contains(s, key) {
				t.Fatalf("%q is cut to %q", s, list)
			}
		}
		if len(list) > 1 && !slices.ContainsFunc(list, func(k string) bool { return strings.Contains(k, "\n") }) {
			if again := cutKeys(strings.Join(list, "\n")); !slices.Equal(list, again) {
				t.Fatalf("%q is cut to %q, and that to %q", s, list, again)
			}
		}
	})
}

// What the program keeps of an entry for itself.
var notTheUsers = []string{"id", "uid", "facts", "witnesses", "source", "revision", "at", "at_depth", "removed", "past", "created_at", "updated_at", "before", "cause"}

// Every field of an entry that is its user's can be set.
func TestEntryFields_AreAll(t *testing.T) {
	of := reflect.TypeFor[storage.LoreEntry]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "characters" {
			name = "filter_characters"
		}
		if _, ok := fieldIndex[name]; ok == slices.Contains(notTheUsers, name) {
			t.Errorf("%s: can be set: %v", name, ok)
		}
	}
}

// fullEntry has a value of its own in every field that is its user's.
func fullEntry() storage.LoreEntry {
	return storage.LoreEntry{ID: "E", Name: "Inn", Aliases: []string{"tavern"}, Type: "location", Synopsis: "an inn", Content: "It, is\nold.",
		Keys: []string{"inn", "/a,b/i"}, SecondaryKeys: []string{"ale"}, Selective: true, Logic: storage.NotAny, Constant: true, Vectorized: true,
		Disabled: true, Order: -3, Position: storage.AtDepth, Depth: 2, Role: storage.Assistant, Outlet: "out",
		ScanDepth: new(7), CaseSensitive: new(true), WholeWords: new(false), UseGroupScoring: new(true),
		ExcludeRecursion: true, PreventRecursion: true, DelayUntilRecursion: 2, Probability: 12.5, UseProbability: true, IgnoreBudget: true,
		Group: "places", GroupOverride: true, GroupWeight: 3, Sticky: 1, Cooldown: 2, Delay: 3, Triggers: []string{"swipe"},
		Characters:   &storage.LoreFilter{Exclude: true, Names: []string{"Tove"}, Tags: []string{"stage"}},
		MatchPersona: true, MatchDescription: true, MatchPersonality: true, MatchDepthPrompt: true, MatchScenario: true, MatchCreatorNotes: true,
		Locked: true}
}

// What lore show prints of an entry makes the same entry again, by --file and by
// --set.
func TestEntryFields_ThereAndBack(t *testing.T) {
	want := fullEntry()
	v := reflect.ValueOf(fieldsOf(want))
	for name, i := range fieldIndex {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not set in the test", name)
		}
	}
	doc, err := json.Marshal(newEntryDoc(lore.EntryView{Row: lore.Row{LoreEntry: want}}))
	if err != nil {
		t.Fatal(err)
	}
	var byFile, bySet entryFields
	if err := byFile.fromJSON(append([]byte("\ufeff"), doc...), want.ID); err != nil {
		t.Fatal(err)
	}
	for _, name := range entryFieldNames() {
		if err := bySet.set(name, fieldsOf(want).text(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for how, f := range map[string]entryFields{"--file": byFile, "--set": bySet} {
		got := storage.LoreEntry{ID: want.ID}
		if err := f.put(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", how, diff)
		}
	}
}

// A number of a file that has no word stays as it is while it is not touched.
func TestEntryFields_OddNumbers(t *testing.T) {
	odd := storage.LoreEntry{Name: "Inn", Position: 9, Logic: -1, Role: "narrator"}
	f := fieldsOf(odd)
	got := odd
	if err := f.put(&got); err != nil {
		t.Error(err)
	}
	if got.Position != odd.Position || got.Logic != odd.Logic || got.Role != odd.Role {
		t.Errorf("they become %+v", got)
	}
	if f.Position = "above"; f.put(&got) == nil {
		t.Error("a position that does not exist is taken")
	}
}

func FuzzEntryFields_FromJSON(f *testing.F) {
	for _, s := range []string{`{"keys":["a"],"order":1}`, `{"keys":{},"name":3}`, `[1`, `{"scan_depth":null,"constant":null}`, `{"id":"X"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fields := fieldsOf(fullEntry())
		if fields.fromJSON([]byte(s), "E") != nil {
			return
		}
		if again, err := json.Marshal(fields); err != nil || !json.Valid(again) {
			t.Fatalf("%q is taken, and cannot be written: %v", s, err)
		}
	})
}
