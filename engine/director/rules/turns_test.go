package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestNextRobin(t *testing.T) {
	abc := []storage.CharacterID{"a", "b", "c"}
	for _, c := range []struct {
		present []storage.CharacterID
		last    storage.CharacterID
		want    storage.CharacterID
	}{{nil, "a", ""}, {abc, "a", "b"}, {abc, "b", "c"}, {abc, "c", "a"}, {abc, "", "a"}, {abc, "x", "a"}, {abc[:1], "a", "a"}} {
		if got := NextRoundRobin(c.present, c.last); got != c.want {
			t.Errorf("%v after %q: %q", c.present, c.last, got)
		}
	}
}

func TestMentioned(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		names []string
		want  []int
	}{
		"none":                     {"Hello there.", []string{"Anna", "Tom"}, []int{}},
		"in their order":           {"Tom, ask Anna.", []string{"Anna", "Tom"}, []int{1, 0}},
		"named last counts":        {"Anna, tell Tom that Anna waits.", []string{"Anna", "Tom"}, []int{1, 0}},
		"whatever the case":        {"anna! TOM!", []string{"Anna", "Tom"}, []int{0, 1}},
		"whole words":              {"Annabel and tomorrow.", []string{"Anna", "Tom"}, []int{}},
		"possessive":               {"Anna's and Tom’s", []string{"Anna", "Tom"}, []int{0, 1}},
		"marks around":             {"*Anna* — \"Tom\"...", []string{"Anna", "Tom"}, []int{0, 1}},
		"first names":              {"Anna, where is Tom?", []string{"Anna Berg", "Tom Hale"}, []int{0, 1}},
		"no last names":            {"The Berg is high.", []string{"Anna Berg"}, []int{}},
		"whole names":              {"I saw anna berg.", []string{"Anna Berg", "Anna Hale"}, []int{0}},
		"two with a first name":    {"Anna!", []string{"Anna Berg", "Anna Hale"}, []int{}},
		"the longer one":           {"Anna Berg!", []string{"Anna", "Anna Berg"}, []int{1}},
		"the shorter one":          {"Anna!", []string{"Anna", "Anna Berg"}, []int{0}},
		"titles":                   {"The captain asks. Mara nods.", []string{"Captain Mara Quist"}, []int{0}},
		"titles alone":             {"The captain asks.", []string{"Captain Mara Quist", "Captain Hook"}, []int{}},
		"doctor":                   {"Ask Berg.", []string{"Dr. Berg"}, []int{0}},
		"words of every day":       {"I will not. May I?", []string{"Will", "Rose"}, []int{}},
		"with their capital":       {"Ask Will.", []string{"Will", "Rose"}, []int{0}},
		"apostrophes":              {"D’Arcy and O'Neill", []string{"O’Neill", "D'Arcy"}, []int{1, 0}},
		"hyphens":                  {"Anna-Lena!", []string{"Anna", "Anna-Lena"}, []int{1}},
		"accents":                  {"ÉLODIE!", []string{"Élodie"}, []int{0}},
		"no blanks":                {"美咲子と太郎が来た", []string{"太郎", "美咲子", "美咲"}, []int{1, 0}},
		"both scripts":             {"Annaと美咲", []string{"美咲", "Anna"}, []int{1, 0}},
		"names of nothing":         {"... ???", []string{"", "...", "\xff", "???"}, []int{}},
		"the same twice":           {"Anna", []string{"Anna", "Anna"}, []int{0}},
		"a name of several, twice": {"Anna Berg, Anna Berg", []string{"Anna Berg"}, []int{0}},
	} {
		if diff := cmp.Diff(c.want, Mentioned(c.text, c.names)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	many := make([]string, 100_000)
	for i := range many {
		many[i] = strings.Repeat("a ", 1+i%9) + "b"
	}
	for _, text := range []string{strings.Repeat("a ", 1<<16), strings.Repeat("a", 1<<17), strings.Repeat("\xff\x00'", 1<<15), strings.Repeat("猫", 1<<15)} {
		_ = Mentioned(text, many)
		_ = Mentioned(text, []string{text, "猫", strings.Repeat("猫", 40)})
	}
}

func FuzzMentioned(f *testing.F) {
	f.Add("Anna, tell Tom's mother.", "Anna Berg", "Tom")
	f.Add("美咲子と", "美咲", "美咲子")
	f.Add("a'’'s", "'", "A’s")
	f.Fuzz(func(t *testing.T, text, a, b string) {
		names := []string{a, b, a + " " + b}
		got := Mentioned(text, names)
		for i, n := range got {
			if n < 0 || n >= len(names) || slices.Contains(got[:i], n) {
				t.Fatalf("%v", got)
			}
		}
		if len(text) < 1000 && len(got) == 0 && slices.Contains(Mentioned(text+" Zora", append(names, "Zora")), 3) == (a == "Zora" || b == "Zora") {
			t.Fatalf("Zora is not found in %q", text)
		}
	})
}
