package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestCompare(t *testing.T) {
	fact := func(kind storage.FactKind, who, text string) storage.Fact {
		return storage.Fact{Kind: kind, Who: who, Text: text}
	}
	facts := []storage.Fact{
		fact(storage.FactAppearance, "Tove", "short black hair"), fact(storage.FactAppearance, "Tove", "grey eyes"), fact(storage.FactClothes, "Tove", "a long green coat"),
		fact(storage.FactAppearance, "Jonas", "a red beard"), fact(storage.FactPlace, "", "a small kitchen"), {Kind: storage.FactClothes, Who: "Jonas", Text: "a blue scarf", Muted: true},
	}
	people := []string{"Tove", "Jonas"}
	for _, tt := range []struct{ prompt, want string }{
		{"Tove, with short black hair and grey eyes, stands in a long green coat. Jonas strokes his red beard.", "Tove true: named named named; Jonas true: named"},
		{"Tove has blonde hair and wears a green coat. Jonas laughs.", "Tove true: contradicted missing named; Jonas true: missing"},
		{"Jonas with grey eyes looks at the door. Tove is behind him.", "Tove true: missing missing missing; Jonas true: missing"},
		{"a grey-eyed woman with short black hair, long green coat", "Tove false: named named named; Jonas false: missing"},
		{"", "Tove false: missing missing missing; Jonas false: missing"},
	} {
		got := Compare(tt.prompt, facts, people)
		var words []string
		for _, p := range got.People {
			var states []string
			for _, f := range p.Facts {
				states = append(states, f.State)
			}
			words = append(words, fmt.Sprint(p.Who, " ", p.Present, ": ", strings.Join(states, " ")))
		}
		if all := strings.Join(words, "; "); all != tt.want || got.Known != 4 || got.Contradictions == nil {
			t.Errorf("%q\n got %s (%d of %d)\nwant %s", tt.prompt, all, got.Named, got.Known, tt.want)
		}
	}
}

func TestForm(t *testing.T) {
	clip, t5 := Form{Tags: true, Tokens: 77, Encoder: "CLIP"}, Form{Tokens: 512, Encoder: "T5"}
	prose := strings.Repeat("A woman in a long green coat leans over the table and reads the letter in the light of a lamp. ", 9)
	tags := "2 people, woman, short black hair, grey eyes, long green coat, leaning over a table, reading a letter, small kitchen, lamp light, night, medium shot"
	for _, tt := range []struct {
		form   Form
		prompt string
		words  string
		bad    bool
	}{
		{Form{}, prose, "189 words of 100–300", false},
		{Form{}, "A lamp.", "2 words, better 100–300", true},
		{clip, tags, "25 words, about 37 of 77 tokens (CLIP)", false},
		{clip, prose, "189 words, about 200 of 77 tokens (CLIP)", true},
		{t5, prose, "189 words, about 198 of 512 tokens (T5)", false},
		{Form{Tokens: 512, Encoder: "a language model"}, prose, "189 words, about 198 of 512 tokens", false},
	} {
		words, bad := tt.form.Length(Image, tt.prompt)
		if words != tt.words || bad != tt.bad || bad != (len(tt.form.check(Image, tt.prompt)) > 0) {
			t.Errorf("%+v: %q %v, want %q %v", tt.form, words, bad, tt.words, tt.bad)
		}
	}
	if rule := clip.rule(Image); !strings.Contains(rule, "commas") || !strings.Contains(rule, "50 words") {
		t.Error(rule)
	}
	if rule := (Form{}).rule(Image); rule != "Between 100 and 300 words of flowing text. No headings, no lists, no dialogue." {
		t.Error(rule)
	}
	if rule := (Form{}).rule(Video); rule != "At most 150 words of flowing text." {
		t.Error(rule)
	}
}
