package words

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEach_Words(t *testing.T) {
	for text, want := range map[string]string{
		"The lamp's door, again.":   "the lamp's door again",
		"Größe, ÉTÉ und Straße 12b": "große ete und straße 12b",
		"":                          "",
		"—… !?":                     "",
		"灯台の":                       "灯台 台の の",
		"At 灯 now":                  "at 灯 now",
		"the dogs' bowl":            "the dogs bowl",
	} {
		var got []string
		Each(text, func(w Word) bool {
			if text[w.From:w.To] == "" {
				t.Errorf("%q: an empty word", text)
			}
			got = append(got, w.Text)
			return true
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestQuery_Match(t *testing.T) {
	for _, c := range []struct {
		typed, text string
		want        string // what is marked, "-" for no match
	}{
		{"lam doo", "The door of the Lamp.", "door Lamp"},
		{"amp", "The lamp.", "-"},
		{`"amp"`, "The lamp.", "amp"},
		{`"the la`, "So the lamp went.", "the la"},
		{"groß", "Die GRÖSSE", "-"},
		{"grö", "Die Größe", "Größe"},
		{"cafe", "Im Café.", "Café"},
		{"café", "In the cafe.", "cafe"},
		{"灯台", "古い灯台の光", "灯台"},
		{"灯", "古い灯台", "灯台"},
		{"台", "古い灯台", "台"},
		{"灯台の", "古い灯台の光", "灯台 台の"},
		{"lamp lantern", "One lamp.", "-"},
	} {
		at, ok := Parse(c.typed).Match(c.text, 0)
		var got []string
		for _, s := range at {
			got = append(got, c.text[s.From:s.To])
		}
		if (c.want == "-") == ok || ok && strings.Join(got, " ") != c.want {
			t.Errorf("%q in %q: %q, %v; want %q", c.typed, c.text, got, ok, c.want)
		}
	}
	if !Parse(" …! ").Empty() || Parse("a").Empty() || Parse(`"!`).Empty() {
		t.Error("what is looked for is not told from nothing")
	}
}

// Whatever the text, spans lie in it between characters, and a text has all of its own
// words.
func FuzzMatch(f *testing.F) {
	f.Add("The lamp", "la")
	f.Add("灯台の光", "灯台")
	f.Add("\xff\xfeé", "\"é")
	f.Fuzz(func(t *testing.T, text, typed string) {
		at, _ := Parse(typed).Match(text, 0)
		for _, s := range at {
			if s.From < 0 || s.To > len(text) || s.From >= s.To {
				t.Fatalf("%q in %q: %v", typed, text, s)
			}
		}
		var own []string
		Each(text, func(w Word) bool {
			if !utf8.ValidString(w.Text) && utf8.ValidString(text) {
				t.Fatalf("%q: broken word %q", text, w.Text)
			}
			own = append(own, w.Text)
			return len(own) < maxAsked
		})
		slices.Sort(own)
		if q := (Query{Begin: slices.Compact(own)}); len(own) > 0 {
			if _, ok := q.Match(text, 0); !ok {
				t.Fatalf("%q lacks its own words %q", text, q.Begin)
			}
		}
	})
}
