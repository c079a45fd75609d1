package plist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func prop(text string, details ...Property) Property { return Property{Text: text, Details: details} }

func TestParse(t *testing.T) {
	tests := []struct {
		name, in, canonical string
		want                List
	}{
		{"plain", "[character-Mara: keeper, owes(Robin)]", "", List{"character", "Mara", []Property{prop("keeper"), prop("owes", prop("Robin"))}}},
		{"nested", "[location-Inn: rooms(three, one(locked, damp)), ale]", "",
			List{"location", "Inn", []Property{prop("rooms", prop("three"), prop("one", prop("locked"), prop("damp"))), prop("ale")}}},
		{"blanks and lines", "  [ Character -  Mara\n Reed :\n  keeper ,\n\towes ( Robin )\n]\n", "[character-Mara Reed: keeper, owes(Robin)]",
			List{"character", "Mara Reed", []Property{prop("keeper"), prop("owes", prop("Robin"))}}},
		{"hyphen in the name", "[character-Jean-Luc: captain]", "", List{"character", "Jean-Luc", []Property{prop("captain")}}},
		{"dash for a hyphen", "[item – Key: iron]", "[item-Key: iron]", List{"item", "Key", []Property{prop("iron")}}},
		{"colon in a property", "[item-Key: opens: the gate]", "", List{"item", "Key", []Property{prop("opens: the gate")}}},
		{"number with a comma", "[item-Ship: costs 1,200 coins, 5, 6]", "", List{"item", "Ship", []Property{prop("costs 1,200 coins"), prop("5"), prop("6")}}},
		{"macro", "[character-{{user}}: likes {{random: a, (b}}, owes(Mara)]", "", List{"character", "{{user}}", []Property{prop("likes {{random: a, (b}}"), prop("owes", prop("Mara"))}}},
		{"text behind parentheses", "[character-Mara: knows(Robin, Tom) since May, calm]", "", List{"character", "Mara", []Property{prop("knows(Robin, Tom) since May"), prop("calm")}}},
		{"two pairs", "[item-Key: iron(old)(cold)]", "", List{"item", "Key", []Property{prop("iron(old)(cold)")}}},
		{"brackets within", "[item-Sign: says [keep, out], old]", "", List{"item", "Sign", []Property{prop("says [keep, out]"), prop("old")}}},
		{"empty ones", "[item-Key: , iron,, rusty(), ]", "[item-Key: iron, rusty]", List{"item", "Key", []Property{prop("iron"), prop("rusty")}}},
		{"wide signs", "[character-真理：灯台守、借金（ロビン，船）；静か]", "[character-真理: 灯台守, 借金(ロビン, 船), 静か]",
			List{"character", "真理", []Property{prop("灯台守"), prop("借金", prop("ロビン"), prop("船")), prop("静か")}}},
		{"nothing said", "[item-Key: ]", "", List{"item", "Key", nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if tt.canonical == "" {
				tt.canonical = tt.in
			}
			if s := got.String(); s != tt.canonical {
				t.Errorf("String() = %q, want %q", s, tt.canonical)
			}
		})
	}
}

func TestParse_NamesWhatIsWrongAndWhere(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "character 1: the text is empty",
		"Mara keeps the light.":           "character 1: the text does not begin with “[”",
		"[item-Key: iron":                 "character 16: the square bracket that opens the entry is never closed",
		"[item-Key: iron]\n[item-Box: x]": "line 2, character 1: a second entry",
		"[item-Key: iron] and more":       "character 18: there is text outside the square brackets: “and more”",
		"[item-Key]":                      "character 2: there is no colon",
		"[Key: iron]":                     "character 2: “Key” has no type",
		"[-Key: iron]":                    "there is no type before the hyphen",
		"[item-: iron]":                   "there is no name after the type",
		"[item-A[b]: iron]":               "square bracket in the name",
		"[item-Key: iron(old]":            "character 16: the parenthesis that opens here is never closed: “(old”",
		"[item-Ké: iron)]":                "character 15: this closing parenthesis closes nothing",
		"[item-Key: a(b(c(d)))]":          "character 17: parentheses go deeper than two levels here: “(d)))”",
	} {
		if _, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want %q in it", in, err, want)
		}
		if Valid(in) {
			t.Errorf("Valid(%q)", in)
		}
	}
}

func TestIs(t *testing.T) {
	for in, want := range map[string]bool{
		"[item-Key: iron": true, " [item-Key: iron]": true, "[item-Key]": false, "[OOC: be nice]": false, "text": false, "": false,
		"[" + strings.Repeat("a", 900) + "-b: c]": false,
	} {
		if IsList(in) != want {
			t.Errorf("Is(%.40q) = %v", in, !want)
		}
	}
}

func TestHostileTextsEndSoon(t *testing.T) {
	const mb = 1 << 18
	for name, in := range map[string]string{
		"open":      "[item-K: " + strings.Repeat("(", mb) + "]",
		"close":     "[item-K: " + strings.Repeat(")", mb) + "]",
		"pairs":     "[item-K: " + strings.Repeat("()", mb/2) + "]",
		"nest":      "[item-K: " + strings.Repeat("a(", mb/4) + strings.Repeat(")", mb/4) + "]",
		"square":    strings.Repeat("[", mb),
		"commas":    "[item-K: " + strings.Repeat(",", mb) + "]",
		"macros":    "[item-K: " + strings.Repeat("{{", mb/2) + "]",
		"props":     "[item-K: " + strings.Repeat("it guards it, he a(he), ", mb/24) + "]",
		"stops":     strings.Repeat("!", mb),
		"sentences": strings.Repeat("A. b. Dr. He said! ", mb/19),
		"blanks":    strings.Repeat("! ", mb/2),
		"lines":     strings.Repeat("\n", mb),
		"one":       strings.Repeat("a", mb),
		"marks":     strings.Repeat("́", mb/2),
	} {
		t.Run(name, func(t *testing.T) {
			if n := len(Check(in, Want{Name: "K", Max: 10})); n == 0 || n > maxProblems+1 {
				t.Errorf("%d problems", n)
			}
			if _, err := Parse(in); err == nil {
				Tidy(in)
			}
			Facts(in)
			other := in[:len(in)/2] + "x, B. " + in[len(in)/2:]
			h := Diff(in, other)
			if got := Apply(in, other, all(h, true)); got != other {
				t.Error("all taken is not after")
			}
			Revert(in, other, other+"y")
			CleanText(in)
			Rename(in, "K", "L")
		})
	}
}

func all(h []Hunk, v bool) []bool {
	take := make([]bool, len(h))
	for i := range take {
		take[i] = v
	}
	return take
}

func drawProps(t *rapid.T, depth int) []Property {
	word := rapid.StringMatching(`[a-zé{}'’:.-]{1,4}( [a-z0-9]{1,3}){0,2}`)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Property {
		p := Property{Text: oneLine(word.Draw(t, "text"))}
		if depth < maxDepth && rapid.IntRange(0, 2).Draw(t, "details") == 0 {
			p.Details = drawProps(t, depth+1)
		}
		return p
	}), 1, 4).Draw(t, "list")
}

func TestList_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := List{Type: rapid.StringMatching(`[a-z]{1,6}( [a-z]{1,3})?`).Draw(t, "type"),
			Name: oneLine(rapid.StringMatching(`[A-Za-z][A-Za-z' -]{0,8}[a-z]`).Draw(t, "name")), Properties: drawProps(t, 0)}
		got, err := Parse(l.String())
		if err != nil {
			t.Fatalf("%q: %v", l.String(), err)
		}
		if d := cmp.Diff(l, got); d != "" {
			t.Fatalf("%q: %s", l.String(), d)
		}
	})
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"Marcus, the keeper, owes  {{user}} 1,200 coins": "Marcus – the keeper – owes {{user}} 1,200 coins",
		"a (b) [c]; d,": "a b c – d", ",": "", "a,\n,b": "a – b",
	} {
		if got := CleanText(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
	if got := CleanName(" The [Red]: Key\n"); got != "The Red Key" {
		t.Error(got)
	}
	if got := CleanType("Sub-Plot: x"); got != "sub plot x" {
		t.Error(got)
	}
}

func TestPlain_FitsAProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab1 ,;:()[]{}（，、\n-"))).Draw(t, "text")
		p := CleanText(text)
		if p == "" {
			return
		}
		l := List{"item", "Key", []Property{{Text: p}}}
		got, err := Parse(l.String())
		if err != nil || len(got.Properties) != 1 || got.Properties[0].Text != p {
			t.Fatalf("%q became %q: %v, %v", text, p, got, err)
		}
	})
}

func TestRename(t *testing.T) {
	for _, tt := range []struct{ in, old, name, want string }{
		{"[character-the bartender:  pours(ale) ,x]", "The  Bartender", "Tom Reed", "[character-Tom Reed:  pours(ale) ,x]"},
		{"[character-Mara: x]", "Tom", "Tim", "[character-Mara: x]"},
		{"[character-Mara: x]", "Mara", "M: [x]", "[character-M x: x]"},
		{"[character-Mara: x]", "Mara", " ", "[character-Mara: x]"},
		{"Mara keeps the light.", "Mara", "Tom", "Mara keeps the light."},
	} {
		if got := Rename(tt.in, tt.old, tt.name); got != tt.want {
			t.Errorf("Rename(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := Retype("[Character-Mara: x]", "NPC"); got != "[npc-Mara: x]" {
		t.Error(got)
	}
}

func TestSameName(t *testing.T) {
	same := [][2]string{
		{"Mara", "mara"}, {"The Rusty Flagon", " the “Rusty Flagon”"}, {"Amelia’s sister", "Amelia's Sister"},
		{"JOSÉ", "jose\u0301"}, {"Jean-Luc", "Jean Luc"}, {"Mara (keeper)", "Mara, Keeper"}, {"Ина", "ИНА"}, {"真理", "真理"}, {"{{user}}", "{{User}}"}, {"Straße", "Strasse"}, {"???", "???"},
	}
	for _, p := range same {
		if !SameName(p[0], p[1]) || !SameName(p[1], p[0]) {
			t.Errorf("%q and %q should be the same", p[0], p[1])
		}
	}
	other := [][2]string{
		{"Mara", "Maria"}, {"Bär", "Bar"}, {"North Gate", "Gate"}, {"The Mill", "Mill"}, {"Amelia's", "Amelia"}, {"North Gate", "South Gate"}, {"ハハ", "パパ"}, {"Märe", "Måre"},
		{"", ""}, {"The", "A"}, {"Guard 1", "Guard 2"}, {"An Li", "Li"}, {"!", "?"}, {"Mara", ""}, {"C", "C++"}, {"C", "C#"},
	}
	for _, p := range other {
		if SameName(p[0], p[1]) {
			t.Errorf("%q and %q should not be the same", p[0], p[1])
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"[character-Mara: keeper, owes(Robin(5, 6))]", "[a-b: c(d(e(f]", "[İ-ß: （x），{{a}}, 1,2]", "[a-b: it, he/him, he]", "x. Y! z", "[r-(  ):]"} {
		f.Add(s, "Mara")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		for _, p := range Check(text, Want{Types: Types, Name: name, Max: 50}) {
			if p.At < 0 || p.End < p.At || p.End > len(text) || p.Line < 1 || p.Column < 1 || p.Text == "" {
				t.Fatalf("%q: problem out of place: %+v", text, p)
			}
		}
		tidy := Tidy(text)
		if again := Tidy(tidy); again != tidy {
			t.Fatalf("Tidy(%q) = %q, then %q", text, tidy, again)
		}
		l, err := Parse(text)
		if (err == nil) != Valid(text) {
			t.Fatal("Parse and Valid disagree")
		}
		if err != nil {
			return
		}
		again, err := Parse(l.String())
		if err != nil {
			t.Fatalf("%q became %q: %v", text, l.String(), err)
		}
		if d := cmp.Diff(l, again); d != "" {
			t.Fatalf("%q became %q: %s", text, l.String(), d)
		}
		if got := Rename(text, l.Name, "Other Name"); SameName(l.Name, l.Name) {
			if _, head, ok := Head(got); !ok || head != "Other Name" {
				t.Fatalf("Rename(%q) = %q", text, got)
			}
		}
	})
}

// Types are those of an entry in the tests.
var Types = []string{"character", "location", "item", "sub-plot"}
