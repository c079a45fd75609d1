package scribe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine/lore/plist"
	"ghostlight/storage"
)

func merged(t *testing.T, of Merging, content, canonical string) *Merge {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"content": content, "canonicalName": canonical})
	if err != nil {
		t.Fatal(err)
	}
	m := &Merge{Of: of}
	if err := json.Unmarshal(raw, m); err != nil {
		t.Fatal(err)
	}
	return m
}

var mara = Merging{Name: "Mara Reed", Aliases: []string{"the keeper"}, Type: "character", Called: "Mara",
	Content: "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm]", News: "[character-Mara: hair(black), lost(brass lantern)]"}

func TestMerge_Result(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"new and changed", "[character-Mara Reed: keeper, hair(black), owes(Robin), calm, lost(brass lantern)]", "[character-Mara Reed: keeper, hair(black), owes(Robin), calm, lost(brass lantern)]"},
		{"nothing new", "[character-Mara Reed: hair(red), Keeper, calm, owes( Robin )]", mara.Content},
		{"the candidate's name at the head", "[character-Mara: keeper, hair(red), owes(Robin), calm, lost(brass lantern)]", "[character-Mara Reed: keeper, hair(red), owes(Robin), calm, lost(brass lantern)]"},
		{"an alias, capitals, said twice, in a fence", "```\n[NPC-The Keeper: keeper, keeper, hair(black),, owes(Robin), calm]\n```", "[character-Mara Reed: keeper, hair(black), owes(Robin), calm]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merged(t, mara, tt.answer, "")
			if err := m.Check(); err != nil {
				t.Fatal(err)
			}
			if got, renamed := m.Result(); got != tt.want || renamed != "" {
				t.Errorf("%q, %q", got, renamed)
			}
		})
	}
}

func TestMerge_CheckNamesTheFault(t *testing.T) {
	for answer, want := range map[string]string{
		"": "is empty",
		"[character-Tom: keeper, hair(black), owes(Robin)]":                               "about “Tom”, and should be about “Mara Reed”",
		"[character-Mara Reed: keeper, hair(black), works for him, owes(Robin)]":          "“him” should be a name",
		"[character-Mara Reed: keeper, hair(black]":                                       "never closed",
		"[character-Mara Reed: a(b(c(d)))]":                                               "deeper than two levels",
		"Mara Reed keeps the light.":                                                      "does not begin with “[”",
		"[character-Mara Reed: keeper, hair(red), owes(Robin)] [item-Lantern: brass]":     "second entry",
		"[character-Mara Reed: keeper, hair(red), owes(Robin), calm, rules(Narnia, Oz)]":  "neither the entry nor the news say",
		"[character-Mara Reed: lost(brass lantern)]":                                      "leaves out most of the entry",
		"[character-Mara Reed: keeper, hair(red), " + strings.Repeat("keeper ", 60) + "]": "more than the entry and the news together",
	} {
		m := merged(t, mara, answer, "")
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", answer, err, want)
		}
	}
}

func TestMerge_KeepsTheFormOfAFreeText(t *testing.T) {
	of := mara
	of.Content = "Mara Reed keeps the light. She has red hair."
	m := merged(t, of, "Mara Reed keeps the light. She has black hair. She lost the brass lantern.", "")
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	if got, _ := m.Result(); got != m.Content {
		t.Error(got)
	}
	if m = merged(t, of, "Mara Reed keeps the light.\nShe has red hair.", ""); m.Check() != nil {
		t.Error(m.Check())
	} else if got, _ := m.Result(); got != of.Content {
		t.Error("nothing new, and yet", got)
	}
	if err := merged(t, of, mara.Content, "").Check(); err == nil || !strings.Contains(err.Error(), "plain text") {
		t.Error(err)
	}
}

func TestMerge_Renames(t *testing.T) {
	of := Merging{Name: "the bartender", Type: "character", Content: "[character-the bartender: pours(ale)]", Called: "Tom Reed", News: "[character-Tom Reed: is the bartender, blind]"}
	for _, tt := range []struct {
		of              Merging
		canonical, want string
	}{
		{of, "Tom Reed", "Tom Reed"}, {of, " “Tom Reed” ", "Tom Reed"}, {of, "", ""}, {of, "the barkeep", ""}, {of, "Jack Sparrow", ""}, {of, "{{user}}", ""}, {of, "The Bartender", ""},
		{mara, "Mara", ""},
	} {
		m := merged(t, tt.of, "[character-x: y]", tt.canonical)
		if got := m.Renamed(); got != tt.want {
			t.Errorf("%q: %q", tt.canonical, got)
		}
	}
	for _, head := range []string{"Tom Reed", "the bartender", "Tom reed"} {
		m := merged(t, of, "[character-"+head+": pours(ale), blind]", "Tom Reed")
		if err := m.Check(); err != nil {
			t.Fatal(head, err)
		}
		e := storage.NewLoreEntry()
		e.Name, e.Type, e.Content, e.Keys = of.Name, of.Type, of.Content, []string{"bartender"}
		got, changed := m.Apply(e)
		if !changed || got.Name != "Tom Reed" || got.Content != "[character-Tom Reed: pours(ale), blind]" {
			t.Errorf("%+v", got)
		}
		if d := cmp.Diff([][]string{{"the bartender"}, {"bartender", "tom", "reed"}}, [][]string{got.Aliases, got.Keys}); d != "" {
			t.Error(d)
		}
		if len(e.Keys) != 1 || e.Aliases != nil {
			t.Error("the entry before was changed")
		}
	}
}

func TestMerge_ApplyLeavesAloneWhatSaysNothingNew(t *testing.T) {
	e := storage.NewLoreEntry()
	e.Name, e.Type, e.Content, e.Aliases = mara.Name, mara.Type, mara.Content, []string{"the keeper", "Mara"}
	m := merged(t, MergingOf(&e, storage.LoreCandidate{Name: "Mara", Content: mara.News}), "[character-Mara Reed: keeper, hair(red), owes(Robin), calm]", "")
	if got, changed := m.Apply(e); changed || got.Content != e.Content {
		t.Errorf("%+v", got)
	}
	m.Of.Called = "Mara of the Light"
	if got, changed := m.Apply(e); !changed || got.Aliases[2] != "Mara of the Light" {
		t.Errorf("%+v", got.Aliases)
	}
	m.Of.Called = "the woman"
	if got, changed := m.Apply(e); changed {
		t.Errorf("%+v", got.Aliases)
	}
}

func TestMerge_ShowsOfALongEntryWhatTheNewsAreAbout(t *testing.T) {
	var facts []string
	for i := range 200 {
		facts = append(facts, fmt.Sprintf("fact%d(number %d, of little weight)", i, i))
	}
	facts[150] = "hair(red, long)"
	of := mara
	of.Content = "[character-Mara Reed: " + strings.Join(facts, ", ") + "]\n"
	sub := of.Shown()
	if !plist.Valid(sub) || len(sub) > maxMerged || !strings.Contains(sub, "hair(red, long)") || !strings.HasPrefix(sub, "[character-Mara Reed: ") {
		t.Fatalf("%d bytes: %s", len(sub), sub)
	}
	m := merged(t, of, strings.Replace(sub, "hair(red, long)", "hair(black), lost(brass lantern)", 1), "")
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(of.Content, "hair(red, long)", "hair(black), lost(brass lantern)", 1)
	if got, _ := m.Result(); got != want {
		t.Errorf("not in its place: %q", got)
	}
	if got, _ := merged(t, of, sub, "").Result(); got != of.Content {
		t.Error("nothing new, and yet the content changed")
	}
}

func TestMerge_BlamesNoAnswerForOlderPronouns(t *testing.T) {
	of := mara
	of.Content = "[character-Mara Reed: works for him, calm]"
	if err := merged(t, of, "[character-Mara Reed: works for him, calm, hair(black)]", "").Check(); err != nil {
		t.Error(err)
	}
	err := merged(t, of, "[character-Mara Reed: works for him, calm, lost(his brass lantern)]", "").Check()
	if err == nil || !strings.Contains(err.Error(), "in “lost(his brass lantern)” “his” should be a name") || strings.Contains(err.Error(), "“him”") {
		t.Error(err)
	}
}

func TestMerge_MendsANewEntry(t *testing.T) {
	of := Merging{Name: "Mara", Type: "character", Called: "Mara", News: "[character-Mara: works for him, calm. Marcus pays her]"}
	if err := merged(t, of, "[character-Mara: works for him]", "").Check(); err == nil {
		t.Error("a pronoun passed")
	}
	m := merged(t, of, "[NPC-Mara: works for(Marcus), calm]", "")
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	if got, _ := m.Result(); got != "[character-Mara: works for(Marcus), calm]" {
		t.Error(got)
	}
}

func TestSettle(t *testing.T) {
	for _, tt := range []struct{ before, answer, want string }{
		{"[c-M:  a, b]", "[c-M: b, A.]", "[c-M:  a, b]"}, {"[c-M: a]", "[c-N: a]", "[c-N: a]"}, {"[c-M: a]", "[c-M: a, b]", "[c-M: a, b]"}, {"One.\nTwo.", "One. Two.", "One.\nTwo."}, {"", "[c-M: a]", "[c-M: a]"},
	} {
		if got := Settle(tt.before, tt.answer); got != tt.want {
			t.Errorf("%q, %q: %q", tt.before, tt.answer, got)
		}
	}
}

func TestCompact(t *testing.T) {
	of := Compacting{Name: "Mara Reed", Type: "character", Max: 60,
		Content: "[character-Mara Reed: keeper of the old lighthouse at Ulm, is calm, is calm at night too, owes 12 coins to {{user}}]"}
	for _, tt := range []struct {
		answer, fault string
		usable        bool
	}{
		{"[character-Mara Reed: keeper at Ulm, calm, owes({{user}}, 12)]", "62 characters, and 60", true},
		{"[NPC-Mara Reed: keeps light at Ulm, owes({{user}}, 12)]", "", true},
		{"[character-Mara Reed: keeper, calm, owes({{user}})]", "no longer speaks of “Ulm”, “12”", true},
		{"[character-Tom: keeper at Ulm, owes 12]", "about “Tom”", false},
		{"[character-Mara Reed: he keeps light at Ulm, owes 12]", "“he” should", false},
		{"Mara at Ulm owes 12", "does not begin", false},
		{of.Content, "not shorter", false},
		{"", "is empty", false},
	} {
		c := Compact{Of: of}
		if err := json.Unmarshal(fmt.Appendf(nil, `{"content":%q}`, tt.answer), &c); err != nil {
			t.Fatal(err)
		}
		err := c.Check()
		if tt.fault == "" && err != nil || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
			t.Errorf("%q: %v, want %q", tt.answer, err, tt.fault)
		}
		if c.Usable() != tt.usable {
			t.Errorf("%q: usable %v", tt.answer, c.Usable())
		}
		if tt.usable && !strings.HasPrefix(c.Result(), "[character-Mara Reed: ") {
			t.Error(c.Result())
		}
	}
	if !of.TooLong() || (&Compacting{Content: "[c-M: a]"}).TooLong() || (&Compacting{Content: strings.Repeat("x", mostCompacted+1)}).TooLong() {
		t.Error("what is too long")
	}
	free := Compact{Of: Compacting{Name: "Mara", Content: "Mara keeps the light, every night."}, Content: "Mara keeps the light."}
	if free.Check() != nil || free.Result() != free.Content {
		t.Error(free.Check())
	}
	free.Content = "[c-Mara: light]"
	if free.Check() == nil {
		t.Error("a free text became a list")
	}
}
