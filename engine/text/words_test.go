package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", " … *** 👍", ""},
		{"apostrophes", "Don’t touch O'Brien's rock'n'roll 'cello'.", "Don’t|touch|O'Brien's|rock'n'roll|cello"},
		{"hyphens and dashes", "well-known—truly", "well|known|truly"},
		{"numbers", "3.5 of 1,000 at 10:30", "3.5|of|1,000|at|10|30"},
		{"marks of type", "_italics_ *bold* ~~gone~~ snake_case", "italics|bold|gone|snake|case"},
		{"a speaker", "Mara:hello", "Mara|hello"},
		{"accents apart", "cafe\u0301s", "cafe\u0301s"},
		{"Cyrillic", "Привет, мир-то!", "Привет|мир|то"},
		{"Greek", "Ὀδυσσεύς, ναί;", "Ὀδυσσεύς|ναί"},
		{"Hebrew", "אני הולך", "אני|הולך"},
		{"Hindi", "हिन्दी में।", "हिन्दी|में"},
		{"Japanese", "私はマラさん。", "私|は|マラ|さ|ん"},
		{"Chinese", "三号房", "三|号|房"},
		{"Korean", "마라는 학교에 갔다", "마라는|학교에|갔다"},
		{"Thai", "วันดี", "วั|น|ดี"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for at, w := range text.Words(tt.in) {
				got = append(got, w)
				if tt.in[at:at+len(w)] != w {
					t.Errorf("%q is not at %d", w, at)
				}
			}
			if strings.Join(got, "|") != tt.want {
				t.Errorf("Words(%q) = %q, want %q", tt.in, strings.Join(got, "|"), tt.want)
			}
		})
	}
}

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "\n***\n…", nil},
		{"one without an end", "She waits", []string{"She waits"}},
		{"actions and speech", `*She smiles.* "Hello there." *He waves!* Then _it_ ends.`,
			[]string{"*She smiles.*", `"Hello there."`, "*He waves!*", "Then _it_ ends."}},
		{"speech within a sentence", `"I know." she said. "Come in," he says.`,
			[]string{`"I know." she said.`, `"Come in," he says.`}},
		{"typographic quotes", "“Go!” Mara says.", []string{"“Go!”", "Mara says."}},
		{"asterisks around several", "*She turns. The door falls shut.* Silence.",
			[]string{"*She turns.", "The door falls shut.*", "Silence."}},
		{"ellipsis", "Well… maybe. Wait… Who goes there?", []string{"Well… maybe.", "Wait…", "Who goes there?"}},
		{"points within", "It costs 3.5 gold, i.e. nothing.", []string{"It costs 3.5 gold, i.e. nothing."}},
		{"brackets", "He left. (So she thinks.) [Later.]", []string{"He left.", "(So she thinks.)", "[Later.]"}},
		{"lines", "One\ntwo\r\n\r\n- three", []string{"One", "two", "- three"}},
		{"Japanese", "私です。田中？「はい！」", []string{"私です。", "田中？", "「はい！」"}},
		{"out of character", "((OOC: a word.)) Then on.", []string{"((OOC: a word.))", "Then on."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for at, s := range text.Sentences(tt.in) {
				got = append(got, s)
				if tt.in[at:at+len(s)] != s {
					t.Errorf("%q is not at %d", s, at)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Sentences(%q) (-want +got):\n%s", tt.in, d)
			}
		})
	}
}

func FuzzRanges(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		check := func(kind string, at int, part string) {
			switch {
			case part == "" || at < end || at+len(part) > len(s) || s[at:at+len(part)] != part:
				t.Fatalf("%s %q at %d of %q, after %d", kind, part, at, s, end)
			case utf8.ValidString(s) && !utf8.ValidString(part):
				t.Fatalf("%s %q of %q parts a character", kind, part, s)
			}
			end = at + len(part)
		}
		for at, w := range text.Words(s) {
			check("word", at, w)
		}
		end = 0
		for at, x := range text.Sentences(s) {
			check("sentence", at, x)
		}
	})
}

func TestWords_Stop(t *testing.T) {
	var got []string
	for _, w := range text.Words("one two three") {
		if got = append(got, w); w == "two" {
			break
		}
	}
	for _, s := range text.Sentences("One. Two. Three.") {
		if got = append(got, s); s == "Two." {
			break
		}
	}
	if want := []string{"one", "two", "One.", "Two."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHasWord(t *testing.T) {
	for _, c := range []struct {
		s, word string
		want    bool
	}{
		{"red hair", "ed", false}, {"ed has red hair", "ed", true}, {"рукав", "рука", false}, {"моя рука", "рука", true},
		{"בשלום", "שלום", true}, {"שלומי", "שלום", false}, {"والملك", "ملك", true}, {"東京へ", "東京", true}, {"a", "", false},
	} {
		if got := text.HasWord(c.s, c.word); got != c.want {
			t.Errorf("%q in %q: %v", c.word, c.s, got)
		}
	}
}

func TestInWord(t *testing.T) {
	for _, r := range "aZ9_éßкΩ\u0301עि" {
		if !text.InWord(r) {
			t.Errorf("%q belongs to no word", r)
		}
	}
	for _, r := range " .-'’\x01\n東かーทᄀ가" {
		if text.InWord(r) {
			t.Errorf("%q belongs to a word", r)
		}
	}
}
