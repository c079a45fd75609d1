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
		{"[character-Mara Reed: works for him, owes(her, {{user}})]", []string{"pronoun him", "pronoun her"}},
		{"[character-Mara Reed: " + strings.Repeat("x", 60) + "]", []string{"too long "}},
		{"[NPC-Tom: he, he]", []string{"type in capitals NPC", "unknown type NPC", "another name Tom", "pronoun he", "said twice he", "pronoun he"}},
	} {
		if d := cmp.Diff(tt.want, kindsOf(tt.in, want)); d != "" {
			t.Errorf("%q: %s", tt.in, d)
		}
	}
}

func TestCheck_SaysWhereInWords(t *testing.T) {
	p := Check("[character-Mara:\n  café, works for him]", Want{})
	if len(p) != 1 || p[0].Line != 2 || p[0].Column != 19 {
		t.Fatalf("%+v", p)
	}
	if got := p[0].String(); got != "line 2, character 19: “him” should be a name, so that the entry can be understood alone" {
		t.Error(got)
	}
}

func TestCheck_Pronouns(t *testing.T) {
	bad := map[string]string{
		"works for him": "him", "she keeps the light": "she", "knows(they hid the key)": "they", "owes money to her": "her", "loves Tom, but he left": "he",
		"lost their ship": "their", "taught himself": "himself", "guards it": "it", "It lies in the north": "It", "calm. He waits": "He",
		"arbeitet für ihn": "ihn", "kennt seine Schwester": "seine", "sie wohnt in der Stadt": "sie", "er ist der Wirt": "er", "und ihr Haus ist alt": "ihr",
		"travaille pour lui et pour la ville": "lui", "elle est calme": "elle", "connaît leurs noms": "leurs", "il garde la porte": "il", "vit avec sa sœur": "sa",
		"trabaja para él": "él", "ella es la hermana de Tom": "ella", "vive con su hermana en el puerto": "su", "debe dinero a ellos": "ellos",
	}
	for in, want := range bad {
		if d := cmp.Diff([]string{"pronoun " + want}, kindsOf("[character-Mara: "+in+"]", Want{})); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
	good := []string{
		"works for(Marcus at Riverside Tavern)", "owes({{user}})", "pronouns(she/her)", "she / they", "says(“I will find him”)", "motto(\"they shall not pass\")",
		"serves Her Majesty", "owns the sword Il Sole", "son of Tom", "sa", "su", "er", "friend of Ella Reed", "Ella (sister)", "knows Elle",
		"hates the rain when it rains", "it is forbidden to swim", "made it", "its blade is black", "speaks Ihm", "works in IT",
		"Sohn von Tom, will der Wirt sein", "il", "the Sie project", "hijo de Tom", "Sein und Zeit", "ses",
	}
	for _, in := range good {
		if got := kindsOf("[character-Mara: "+in+"]", Want{}); got != nil {
			t.Errorf("%q: %v", in, got)
		}
	}
	if got := kindsOf("[character-Ella: Ella lives in the town]", Want{Name: "Ella"}); got != nil {
		t.Error(got)
	}
	if got := kindsOf("[character-They: leads They]", Want{}); got != nil {
		t.Error("a name is no pronoun:", got)
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

func TestStems(t *testing.T) {
	got := Stems("The keeper's promise of 1200 coins, and 灯台守")
	want := map[string]bool{"keepe": true, "promi": true, "1200": true, "coins": true, "灯台": true, "台守": true}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if Likeness("abc", "abc") != 1 || Likeness("abc", "xyz") != 0 || Likeness("", "") != 0 {
		t.Error("likeness of the same, of others and of nothing")
	}
}
