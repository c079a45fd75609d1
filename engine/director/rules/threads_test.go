package rules

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestThreads(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a recap":             {"## Current Situation\n- In the boathouse\n\n## Pending Threads\n\n- The lantern is promised\n- Who broke\n  the lamp?\n\n## Tone\n- dry", []string{"The lantern is promised", "Who broke the lamp?"}},
		"any level":           {"#### open threads:\n* a b\n+ c d\n1. e f\n2) g h\n• i j", []string{"a b", "c d", "e f", "g h", "i j"}},
		"bold":                {"**Pending Threads**\n- a b\n**Tone**\n- c d", []string{"a b"}},
		"bold with a colon":   {"**Open questions:**\n- a b\n__Other__\n- c d", []string{"a b"}},
		"levels below":        {"## Loose ends\n- a b\n### Of Mara\n- c d\n## Other\n- e f", []string{"a b", "c d"}},
		"twice":               {"# Pending\n- a b\n# X\n- no\n# Unresolved questions\n- c d\n- a b", []string{"a b", "c d"}},
		"paragraphs":          {"## Pending Threads\n\nThe lantern is\npromised.\n\nThe keeper waits.", []string{"The lantern is promised.", "The keeper waits."}},
		"boxes":               {"## Threads\n- [ ] a b\n- [x] c d\n  still c\n- ~~e f~~\n- g h", []string{"a b", "g h"}},
		"closed ones":         {"## Resolved threads\n- a b\n## No open threads\n- c d", nil},
		"no such heading":     {"## Key Developments\n- The door is open\n- pending threads", nil},
		"an open door":        {"## The open door\n- a b", nil},
		"nothing under it":    {"## Pending Threads\n- None.\n- …\n-\n- (none)", nil},
		"carriage returns":    {"## Pending Threads\r\n- a b\r\n- c d\r", []string{"a b", "c d"}},
		"nothing":             {"", nil},
		"a heading of no end": {"## Pending Threads" + strings.Repeat(" very", 100) + "\n- a b", nil},
	} {
		if diff := cmp.Diff(c.want, Threads(c.text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, text := range map[string]string{
		"items": strings.Repeat("- x\n", 1<<15), "one line": strings.Repeat("x", 1<<17), "headings": strings.Repeat("## pending\n", 1<<14), "marks": strings.Repeat("#", 1<<17),
		"lines": strings.Repeat("y z\n", 1<<15), "junk": strings.Repeat("\xff\x00*_", 1<<15), "bold": "**" + strings.Repeat("*", 1<<17), "returns": strings.Repeat("\r", 1<<17),
	} {
		got := Threads("## Pending Threads\n" + text)
		if len(got) > maxThreads {
			t.Errorf("%s: %d threads", name, len(got))
		}
	}
}

func FuzzThreads(f *testing.F) {
	for _, s := range []string{"## Pending Threads\n- a\n- [x] b\n\nc\nd", "**Open threads:**\n1. a\r\n2) b", "__pending__\n\xff", "# # #\n-\n- -"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Threads(text)
		if len(got) > maxThreads {
			t.Fatal(len(got))
		}
		for i, s := range got {
			if s == "" || strings.ContainsAny(s, "\r\n\x00") || !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxThread || slices.Contains(got[:i], s) {
				t.Fatalf("%q", s)
			}
		}
	})
}

func TestNextRobin(t *testing.T) {
	abc := []storage.CharacterID{"a", "b", "c"}
	for _, c := range []struct {
		present []storage.CharacterID
		last    storage.CharacterID
		want    storage.CharacterID
	}{{nil, "a", ""}, {abc, "a", "b"}, {abc, "b", "c"}, {abc, "c", "a"}, {abc, "", "a"}, {abc, "x", "a"}, {abc[:1], "a", "a"}} {
		if got := NextRobin(c.present, c.last); got != c.want {
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
