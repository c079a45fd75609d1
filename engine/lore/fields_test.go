package lore

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// notTheUsers are the fields that the program keeps of an entry for itself.
var notTheUsers = []string{
	"id", "uid", "facts", "witnesses", "source", "revision", "at", "at_depth", "removed", "past", "created_at", "updated_at", "before", "cause",
}

// Every field of an entry that is its user's is described.
func TestEntryFields_AreAll(t *testing.T) {
	t.Parallel()
	of := reflect.TypeFor[storage.LoreEntry]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		described := slices.ContainsFunc(EntryFields.Fields, func(s field.Spec[storage.LoreEntry]) bool {
			return s.Name == name || strings.HasPrefix(s.Path, name+".")
		})
		if described == slices.Contains(notTheUsers, name) {
			t.Errorf("%s: described: %v", name, described)
		}
	}
}

// fullEntry has a value of its own in every field that is its user's.
func fullEntry() storage.LoreEntry {
	return storage.LoreEntry{ID: "E", Name: "Inn", Aliases: []string{"tavern"}, Type: "location", Synopsis: "an inn", Content: "It, is\nold.",
		Keys: []string{"inn", "/a,b/i", "a, b"}, SecondaryKeys: []string{"ale"}, Selective: true, Logic: storage.NotAny, Constant: true,
		Vectorized: true, Disabled: true, Order: -3, Position: storage.AtDepth, Depth: 2, Role: storage.Assistant, Outlet: "out",
		ScanDepth: new(7), CaseSensitive: new(true), WholeWords: new(false), UseGroupScoring: new(true),
		ExcludeRecursion: true, PreventRecursion: true, DelayUntilRecursion: 2, Probability: 12.5, UseProbability: true, IgnoreBudget: true,
		Group: "places", GroupOverride: true, GroupWeight: 3, Sticky: 1, Cooldown: 2, Delay: 3, Triggers: []string{"swipe"},
		Characters:   &storage.LoreFilter{Exclude: true, Names: []string{"Tove"}, Tags: []string{"stage"}},
		MatchPersona: true, MatchDescription: true, MatchPersonality: true, MatchDepthPrompt: true, MatchScenario: true, MatchCreatorNotes: true,
		Locked: true}
}

// The document of an entry makes the same entry again, and so do its fields one by one.
func TestEntryFields_ThereAndBack(t *testing.T) {
	t.Parallel()
	want := fullEntry()
	if n, all := len(EntryFields.Diff(&storage.LoreEntry{}, &want)), len(EntryFields.Fields); n != all {
		t.Errorf("%d of %d fields are set in the test", n, all)
	}
	doc, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	byFile, bySet := storage.LoreEntry{ID: want.ID}, storage.LoreEntry{ID: want.ID}
	if err := EntryFields.FromJSON(&byFile, doc, reflect.TypeFor[storage.LoreEntry]()); err != nil {
		t.Fatal(err)
	}
	for i := range EntryFields.Fields {
		s := &EntryFields.Fields[i]
		if err := s.Set(&bySet, s.Get(&want)); err != nil {
			t.Error(err)
		}
	}
	for how, got := range map[string]storage.LoreEntry{"a file": byFile, "--set": bySet} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", how, diff)
		}
	}
}

// What a document of earlier builds calls the filter is read as well, and null is no filter.
func TestEntryFields_Filter(t *testing.T) {
	t.Parallel()
	shared := &storage.LoreFilter{Names: []string{"Ada"}}
	for text, want := range map[string]*storage.LoreFilter{
		`{"filter_characters": ["Tove"], "filter_tags": ["stage"], "filter_exclude": true}`: {Exclude: true, Names: []string{"Tove"}, Tags: []string{"stage"}},
		`{"characters": {"tags": ["stage"]}}`:                                               {Names: []string{"Ada"}, Tags: []string{"stage"}},
		`{"characters": null}`:                                                              nil,
		`{"characters": {"names": []}}`:                                                     nil,
	} {
		e := storage.LoreEntry{Characters: shared}
		if err := EntryFields.FromJSON(&e, []byte(text), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, e.Characters); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if diff := cmp.Diff(&storage.LoreFilter{Names: []string{"Ada"}}, shared); diff != "" {
			t.Errorf("%s changes another entry: %s", text, diff)
		}
	}
}

func TestEntryFields_RoleAndNumbers(t *testing.T) {
	t.Parallel()
	e := storage.NewLoreEntry()
	for _, c := range []struct{ name, text, fault string }{
		{"role", "system", ""},
		{"role", "narrator", "role must be one of system, user, assistant"},
		{"position", "4", ""},
		{"position", "above", "position must be one of before_char, "},
		{"position", "9", "position must be one of"},
		{"sticky", "long", "sticky must be a whole number"},
		{"probability", "100.5", "probability must be a number from 0 to 100"},
		{"scan_depth", "-1", "scan_depth must be a whole number from 0 to"},
	} {
		if err := EntryFields.Set(&e, c.name, c.text); (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s=%s: %v, want %q", c.name, c.text, err, c.fault)
		}
	}
	want := storage.NewLoreEntry()
	want.Position = storage.AtDepth
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	a := storage.LoreEntry{Name: "Inn", Content: "Old.", Keys: []string{"inn"}}
	b := storage.LoreEntry{Name: "Inn", Content: "New.", Keys: []string{"inn", "/a,b/"}}
	if diff := cmp.Diff([]field.Change{{Name: "keys", Before: "inn", After: "inn, /a,b/"}}, Changes(&a, &b)); diff != "" {
		t.Error(diff)
	}
}

func TestBookFields_OwnerAndSwitch(t *testing.T) {
	t.Parallel()
	b := Book{Lorebook: storage.Lorebook{Name: "Harbour", Kind: storage.ChatBook, Chat: "c"}}
	owner, in := BookFields.Find("owner"), BookFields.Find("in_chat")
	if got := owner.Get(&b); got != "chat:c" {
		t.Errorf("owner %q", got)
	}
	if err := owner.Set(&b, "persona:p"); err != nil || b.Kind != storage.PersonaBook || b.Persona != "p" || b.Chat != "" {
		t.Errorf("%v, %+v", err, b.Lorebook)
	}
	if err := owner.Set(&b, "nobody"); err == nil || b.Kind != storage.PersonaBook {
		t.Errorf("%v, %+v", err, b.Lorebook)
	}
	for _, text := range []string{"off", "on", "default"} {
		if err := in.Set(&b, text); err != nil || in.Get(&b) != text {
			t.Errorf("%s: %v, %q", text, err, in.Get(&b))
		}
	}
}
