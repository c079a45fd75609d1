package plist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func kindsOf(text string, w Want) []string {
	var out []string
	for _, p := range Check(text, w) {
		out = append(out, string(p.Kind)+" "+text[p.At:p.End])
	}
	return out
}

func TestCheck(t *testing.T) {
	want := Want{Types: []string{"character", "Sub-Plot"}, Name: "Mara Reed", Aliases: []string{"the keeper"}, Max: 60}
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"[character-Mara Reed: keeper, owes({{user}})]", nil},
		{"[character-The Keeper: calm]", nil},
		{"[character-Mara Reed: works for him]", nil},
		{"[sub plot-mara reed: calm]", nil},
		{"Mara Reed is calm.", []string{"not bracketed "}},
		{"[character-Mara Reed: a] [character-Tom: b]", []string{"two entries [character-Tom: b]"}},
		{"[Character-Mara Reed: a]", []string{"type in capitals Character"}},
		{"[npc-Mara Reed: a]", []string{"unknown type npc"}},
		{"[character-Tom: a]", []string{"another name Tom"}},
		{"[character-Mara Reed: a(b(c(d)))]", []string{"nested too deep ("}},
		{"[character-Mara Reed: a(b]", []string{"unbalanced parentheses ("}},
		{"[character-Mara Reed: a, , b()]", []string{"empty property  ", "empty property "}},
		{"[character-Mara Reed:]", []string{"empty property "}},
		{"[character-Mara Reed: calm, b, Calm]", []string{"said twice Calm"}},
		{"[character-Mara Reed: " + strings.Repeat("x", 60) + "]", []string{"too long "}},
		{"[NPC-Tom: he, he]", []string{"type in capitals NPC", "unknown type NPC", "another name Tom", "said twice he"}},
	} {
		if d := cmp.Diff(tt.want, kindsOf(tt.in, want)); d != "" {
			t.Errorf("%q: %s", tt.in, d)
		}
	}
}

func TestCheck_SaysWhereInWords(t *testing.T) {
	p := Check("[character-Mara:\n  café, calm, Calm]", Want{})
	if len(p) != 1 || p[0].Line != 2 || p[0].Column != 15 {
		t.Fatalf("%+v", p)
	}
	if got := p[0].String(); got != "line 2, character 15: “Calm” is said twice" {
		t.Error(got)
	}
}

func TestTidy(t *testing.T) {
	for in, want := range map[string]string{
		"[NPC-Mara : calm,, Calm ,\n b()]": "[npc-Mara: calm, b]",
		"[NPC-Mara: (]":                    "[NPC-Mara: (]",
		"Mara is calm.":                    "Mara is calm.",
	} {
		if got := Tidy(in); got != want {
			t.Errorf("Tidy(%q) = %q", in, got)
		}
	}
}
