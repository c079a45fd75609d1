package scene

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestStatements(t *testing.T) {
	for text, want := range map[string][]string{
		"Clara sold the boat. Piet broke a hand.":                    {"Clara sold the boat.", "Piet broke a hand."},
		"Clara sold the boat. She regrets it.":                       {"Clara sold the boat.", "She regrets it."},
		"Clara said: “I will come. Wait for me.” Piet waits.":        {"Clara said: “I will come.", "Wait for me.”", "Piet waits."},
		"Dr. Berg lives at St. Anna. Clara does not.":                {"Dr. Berg lives at St.", "Anna. Clara does not."},
		"J. Marr owes 3.50 crowns. Clara pays.":                      {"J. Marr owes 3.50 crowns.", "Clara pays."},
		"Clara a vendu le bateau. Piet est parti. Il ne revient pas": {"Clara a vendu le bateau.", "Piet est parti.", "Il ne revient pas"},
		"クララは舟を売った。ピートは去った。":                                         {"クララは舟を売った。", "ピートは去った。"},
		"no end":                     {"no end"},
		"":                           nil,
		"Will he come? Clara waits.": {"Will he come?", "Clara waits."},
	} {
		if got := Statements(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestWithout_APartOfABullet(t *testing.T) {
	md := "## Key Developments\n\n- Clara sold the boat to Piet. Clara sold the boat to Jon. Jon wept.\n  He left.\n- Clara sold the boat to Piet.\n* Jon has a dog."
	got := WithoutEnded(md, func(s string) bool { return s == "Clara sold the boat to Piet." })
	if want := "## Key Developments\n\n- Clara sold the boat to Jon. Jon wept. He left.\n* Jon has a dog."; got != want {
		t.Errorf("%s", got)
	}
}

// A part of a bullet is found among the sources by what it was a part of.
func TestSourcesOf_APart(t *testing.T) {
	r := storage.Recap{Sources: []storage.Source{
		{Bullet: "Clara swore to bring Piet home before winter comes to the valley. Clara sold the boat to Jon.", Messages: []storage.NodeID{"a", "b"}},
		{Bullet: "Clara sold the cart to Jon.", Messages: []storage.NodeID{"c"}}}}
	for text, want := range map[string]string{"Clara sold the boat to Jon.": "ab", "Clara sold the cart to Jon.": "c", "Piet has a dog in the valley.": ""} {
		got := ""
		for _, id := range SourcesOf(r, text) {
			got += string(id)
		}
		if got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("Clara sold. “He! Yes.” No\xff…")
	f.Add("Clara\xff\xff sold. Jon left. A")
	f.Add("d\x00\x10e!e\n?Ts.” N")
	f.Fuzz(func(t *testing.T, s string) {
		plain := func(s string) string { return strings.Join(strings.Fields(s), "") }
		whole := plain(s)
		for _, st := range Statements(s) {
			if !strings.Contains(whole, plain(strings.ToValidUTF8(st, ""))) && strings.ToValidUTF8(s, "") == s {
				t.Fatalf("%q is not in %q", st, s)
			}
		}
	})
}
