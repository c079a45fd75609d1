package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine/config"
	"ghostlight/engine/lore"
	"ghostlight/engine/lore/activation"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
	"ghostlight/tui/safetext"
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
	doc, err := json.Marshal(shapeEntry(lore.EntryView{Row: lore.Row{LoreEntry: want}}))
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

func TestLoreSettings_Defaults(t *testing.T) {
	c := loreSettings{}.config()
	if diff := cmp.Diff(activation.DefaultSettings(), *c.Settings); diff != "" {
		t.Error(diff)
	}
	if c.NoFill || c.Placement != lore.DefaultPlacement || c.Compact != compactNormal || c.Review["default"] != "apply" {
		t.Errorf("the rest is %+v", c)
	}
}

func TestLoreSettings_AllCount(t *testing.T) {
	s, err := parseSettings("t", []byte(`
[lore]
scan_depth = 9
budget_percent = 50
budget_cap = 700
include_names = false
recursive = false
min_activations = 3
max_depth = 8
case_sensitive = true
whole_words = false
group_scoring = true
strategy = "global_first"
placement = "tail"
fill = false
types = ["ship", "star"]
compact = 0
[lore.review]
default = "review"
ship = "apply"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Lore{Settings: &activation.Settings{Depth: 9, Budget: 50, BudgetCap: 700, MinActivations: 3, MaxDepth: 8, CaseSensitive: true,
		GroupScoring: true, Strategy: activation.GlobalFirst}, Placement: lore.PlaceTail, NoFill: true, Types: []string{"ship", "star"},
		Review: map[string]string{"default": "review", "ship": "apply"}, Compact: -1}
	if diff := cmp.Diff(want, s.Lore.config()); diff != "" {
		t.Error(diff)
	}
}

func TestLoreSettings_Refused(t *testing.T) {
	for text, words := range map[string]string{
		"scan_depth = -1":                              "t:2:1: lore.scan_depth is a number of messages from 0 to 1000, not -1",
		"budget_percent = 101":                         "lore.budget_percent is a percentage from 1 to 100",
		"budget_percent = 2.5":                         "lore.budget_percent must be a whole number",
		"budget_cap = -1":                              "lore.budget_cap",
		"max_recursion_steps = -1":                     "lore.max_recursion_steps",
		"strategy = \"both\"":                          "lore.strategy is evenly, character_first or global_first, not \"both\"",
		"placement = \"head\"":                         "lore.placement is stay or tail",
		"compact = 5":                                  "lore.compact",
		"types = []":                                   "lore.types names 1 to",
		"types = [\"Ship\"]":                           "lore.types are names in lower case",
		"types = [\"a\", \"a\"]":                       "twice",
		"types = [\"a-b\"]":                            "lore.types hold no",
		"types = [\"default\"]":                        "lore.review needs",
		"types = \"ship\"":                             "lore.types must be a list of texts, not text",
		"review = true":                                "lore.review must be a section",
		"recursive = 1":                                "lore.recursive must be true or false",
		"[lore.review]\nship = \"x\"":                  "t:3:1: lore.review.ship is about no type of entries; they are character",
		"[lore.review]\nitem = \"no\"":                 "lore.review.item is apply or review, not \"no\"",
		"max_recursion_steps = 1\nmin_activations = 1": "t:3:1: lore.min_activations and lore.max_recursion_steps exclude",
		"depth = 1":                                    "there is no setting lore.depth",
	} {
		_, err := parseSettings("t", []byte("[lore]\n"+text))
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// However filling a lorebook ends, the command says so, what was learnt before
// stays, and the queue can go on with the rest.
func TestLoreFill_OddEndings(t *testing.T) {
	server := newFaulty(t)
	fine := func(rehearsal.Call) rehearsal.Fault { return rehearsal.Fault{} }
	for _, c := range []struct {
		name  string
		fault rehearsal.Fault
		times int
		code  int
	}{
		{"fine", rehearsal.Fault{}, 0, exitDone},
		{"once no JSON", rehearsal.Fault{Kind: rehearsal.Say, Text: "Once upon a time"}, 1, exitDone},
		{"no JSON", rehearsal.Fault{Kind: rehearsal.Say, Text: "Once upon a time"}, 99, exitFailed},
		{"model gone", rehearsal.Fault{Kind: rehearsal.Missing}, 99, exitFailed},
		{"another server", rehearsal.Fault{Kind: rehearsal.HTML}, 99, exitFailed},
		{"escapes", rehearsal.Fault{Kind: rehearsal.Escapes}, 1, exitDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			server.set(fine)
			h := playedHome(t, server.url)
			settings := filepath.Join(h.dir, "nofill.toml")
			if err := os.WriteFile(settings, []byte("[lore]\nfill = false\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"scene", "recap", "T", "1", "--config", settings}, {"lore", "new", "Own", "--chat", "T"},
				{"lore", "add", "Own", "--name", "The old stage", "--type", "location", "--content", "A stage."},
				{"lore", "add", "Own", "--name", "The prompter", "--type", "character", "--content", "She prompts."}} {
				if doc, errs, code := h.run(t, args...); code != exitDone {
					t.Fatalf("%v: %v %s", args, doc, errs)
				}
			}
			server.set(rehearsal.Times(c.times, c.fault, asks))
			doc, errs, code := h.run(t, "lore", "fill", "T", "1")
			if words, _ := doc["error"].(string); code != c.code || (words != "") != (code != exitDone) {
				t.Fatalf("ended with %d: %v %s", code, doc, errs)
			}
			if safetext.Block(errs) != errs {
				t.Errorf("standard error is %q", errs)
			}
			server.set(fine)
			h.run(t, "queue", "retry", "--failed")
			if doc, errs, code := h.run(t, "queue", "run"); code != exitDone || doc["failed"] != 0.0 {
				t.Fatalf("the queue ended with %d: %v %s", code, doc, errs)
			}
			plain := h.command("lore", "taught", "T", "1")
			out, err := plain.Output()
			if err != nil || safetext.Block(string(out)) != string(out) || !strings.Contains(string(out), "Tove Halloran") {
				t.Errorf("printed was %q (%v)", out, err)
			}
		})
	}
}
