package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ids(list []Candidate) string {
	var out []string
	for _, c := range list {
		out = append(out, string(c.ID))
	}
	return strings.Join(out, " ")
}

func TestChoose(t *testing.T) {
	c := func(id string, typ storage.MemoryType, importance float64, ago int) Candidate {
		return Candidate{ID: storage.MemoryID(id), Type: typ, Content: "about " + id, Importance: importance, Last: noon.Add(-time.Duration(ago) * time.Hour)}
	}
	pinned := func(c Candidate) Candidate { c.Pinned = true; return c }
	near := func(c Candidate, n float64) Candidate { c.Near = n; return c }
	f, e, p, g := storage.FactMemory, storage.EventMemory, storage.PreferenceMemory, storage.GoalMemory
	for name, tc := range map[string]struct {
		list []Candidate
		want string
	}{
		"none":                 {nil, ""},
		"by importance":        {[]Candidate{c("a", f, 0.2, 0), c("b", e, 0.9, 9)}, "b a"},
		"then the newest":      {[]Candidate{c("a", f, 0.5, 9), c("b", e, 0.5, 1)}, "b a"},
		"then by id":           {[]Candidate{c("b", f, 0.5, 1), c("a", e, 0.5, 1)}, "a b"},
		"three of a type":      {[]Candidate{c("a", f, 0.9, 0), c("b", f, 0.8, 0), c("c", f, 0.7, 0), c("d", f, 0.6, 0), c("e", e, 0.1, 0)}, "a b c e"},
		"pinned first":         {[]Candidate{c("a", f, 0.9, 0), pinned(c("b", e, 0.1, 0))}, "b a"},
		"pinned ones count":    {[]Candidate{c("a", f, 1, 0), pinned(c("b", f, 0, 0)), pinned(c("c", f, 0, 1)), pinned(c("d", f, 0, 2)), pinned(c("e", f, 0, 3))}, "b c d"},
		"near ones come up":    {[]Candidate{c("a", f, 0.6, 0), near(c("b", e, 0.3, 0), 0.8)}, "b a"},
		"but not all the way":  {[]Candidate{c("a", f, 0.9, 0), near(c("b", e, 0.3, 0), 0.4)}, "a b"},
		"beyond the bounds":    {[]Candidate{c("a", f, 1, 0), c("b", e, 40, 9), c("d", g, math.NaN(), 0), c("e", p, math.Inf(-1), 0)}, "a b d e"},
		"unknown type is fact": {[]Candidate{c("a", f, 0.9, 0), c("b", "", 0.8, 0), c("c", "x", 0.7, 0), c("d", f, 0.6, 0)}, "a b c"},
		"empty ones":           {[]Candidate{{ID: "a", Content: " \n"}, c("b", f, 0, 0)}, "b"},
		"the same twice":       {[]Candidate{c("a", f, 0.9, 0), c("a", f, 0.8, 0)}, "a"},
	} {
		if got := ids(Choose(tc.list)); got != tc.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	var all []Candidate
	for i := range 4 {
		for _, typ := range storage.MemoryTypes {
			all = append(all, c(fmt.Sprint(typ, i), typ, float64(i)/4, i))
		}
	}
	if got := Choose(all); len(got) != MaxMemories {
		t.Errorf("%d are told", len(got))
	}
}

func TestChoose_Properties(t *testing.T) {
	candidate := rapid.Custom(func(t *rapid.T) Candidate {
		return Candidate{
			ID:         storage.MemoryID(rapid.StringMatching(`[a-z]{0,2}`).Draw(t, "id")),
			Type:       rapid.SampledFrom(append([]storage.MemoryType{"", "x"}, storage.MemoryTypes...)).Draw(t, "type"),
			Content:    rapid.SampledFrom([]string{"a", "b", "", "c"}).Draw(t, "content"),
			Importance: rapid.SampledFrom([]float64{0, 0.5, 1, 2, math.NaN()}).Draw(t, "importance"),
			Last:       noon.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "last"))),
			Pinned:     rapid.Bool().Draw(t, "pinned"),
			Near:       rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "near"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(candidate, 0, 40).Draw(t, "list")
		before := slices.Clone(list)
		got := Choose(list)
		if fmt.Sprint(before) != fmt.Sprint(list) {
			t.Fatal("the list was changed")
		}
		if other := Choose(rapid.Permutation(list).Draw(t, "shuffled")); fmt.Sprint(other) != fmt.Sprint(got) {
			t.Fatalf("another order, another choice:\n%v\n%v", got, other)
		}
		types := map[storage.MemoryType]int{}
		for _, c := range got {
			types[kindOf(c.Type)]++
		}
		for typ, n := range types {
			if n > MaxPerType {
				t.Fatalf("%d of %s", n, typ)
			}
		}
		if len(got) > MaxMemories || !slices.IsSortedFunc(got, func(a, b Candidate) int { return TrueFirst(a.Pinned, b.Pinned) }) {
			t.Fatalf("%v", got)
		}
		if again := Choose(got); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Fatalf("chosen again: %v", again)
		}
	})
}

func TestMemoriesText(t *testing.T) {
	list := []Candidate{
		{Type: storage.GoalMemory, Content: "Robin wants a boat"}, {Type: storage.FactMemory, Content: "Robin\ncannot swim"}, {Type: "odd", Content: "{{user}} is tall"},
		{Type: storage.EventMemory, Content: "\x00"}, {Type: storage.RelationshipMemory, Content: "Anna is Robin's sister"}, {Type: storage.EmotionMemory, Content: "Robin is sad"},
		{Type: storage.PreferenceMemory, Content: strings.Repeat("tea ", 200)},
	}
	want := `About them:
- Robin cannot swim
- {{user}} is tall
Their tastes:
- ` + strings.TrimSpace(strings.Repeat("tea ", 100)) + `…
People in their life:
- Anna is Robin's sister
Goals/aspirations:
- Robin wants a boat
How they've been feeling:
- Robin is sad`
	if diff := cmp.Diff(want, MemoriesText(list)); diff != "" {
		t.Error(diff)
	}
	if MemoriesText(nil) != "" || MemoriesText([]Candidate{{Content: " "}}) != "" {
		t.Error("something of nothing")
	}
	sections := map[string]bool{}
	for _, typ := range storage.MemoryTypes {
		sections[Section(typ)] = true
	}
	if len(sections) != len(storage.MemoryTypes) || Section(storage.EventMemory) != "Recent in their life" || Section("odd") != "About them" {
		t.Errorf("%v", sections)
	}
}

func TestChoose_Many(t *testing.T) {
	list := make([]Candidate, 100_000)
	for i := range list {
		list[i] = Candidate{ID: storage.MemoryID(fmt.Sprint(i * 7919 % 100_000)), Type: storage.MemoryTypes[i%6], Content: "x", Importance: float64(i%97) / 97, Last: noon}
	}
	if got := Choose(list); len(got) != MaxMemories || got[0].Importance != float64(96)/97 {
		t.Errorf("%v", got)
	}
}
