package beats_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/exampletest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/beats"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

func TestOneLine(t *testing.T) {
	long := strings.Repeat("She goes on and on about the mill and its owner, ", 12)
	for text, want := range map[string]string{
		"  Tove hides\n\n the key. ":    "Tove hides the key.",
		"1. **Beat 1:** Tove hides it.": "Tove hides it.",
		"**The key**: Tove hides it.":   "Tove hides it.",
		"(2) \"Tove hides it.\",":       "Tove hides it.",
		"Option B – Tove hides it.":     "Tove hides it.",
		"Proposal: Tove hides it.":      "Tove hides it.",
		"„Tove versteckt ihn.“":         "Tove versteckt ihn.",
		"\"No,\" says Tove. \"Go.\"":    "\"No,\" says Tove. \"Go.\"",
		"A storm comes up.":             "A storm comes up.",
		"Tove \x1b[31mhides\u202e it.":  "Tove [31mhides it.",
		"7 men come to the mill.":       "7 men come to the mill.",
		"- ":                            "-",
		"A short one. " + long:          "",
		long:                            "",
		strings.Repeat("ü", 400):        "",
		strings.Repeat("鍵を隠す。", 60):     "",
	} {
		got := beats.OneLine(text)
		if want != "" && got != want {
			t.Errorf("of %q came %q, not %q", text, got, want)
		}
		if len(got) > beats.MaxBytes || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("of %q came %q", text, got)
		}
		if again := beats.OneLine(got); again != got {
			t.Errorf("%q becomes %q when it is read again", got, again)
		}
	}
}

func TestCheck(t *testing.T) {
	english := "She looks at the door and then at him, and there is nothing that either of them can say to it."
	russian := "Она смотрит на дверь, а потом на него, и никто из них не может ничего сказать."
	for name, c := range map[string]struct {
		story string
		list  []string
		ok    bool
	}{
		"English":             {english, []string{"She opens the door and sees that nobody is there."}, true},
		"English for Russian": {russian, []string{"She opens the door and sees that nobody is there."}, false},
		"Russian":             {russian, []string{"Она открывает дверь."}, true},
		"names alone":         {english, []string{"Tove. Robin."}, true},
		"an empty play":       {"", []string{"Она открывает дверь."}, true},
		"nothing":             {english, nil, false},
	} {
		if err := beats.Check(c.list, c.story); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequest(t *testing.T) {
	a := beats.Ask{About: "a {{char}}\nstorm", Not: slices.Repeat([]string{"one\ntwo"}, 40), Open: true}
	got := a.Request(prompts.BuiltIn(), "Tove", "Robin")
	if strings.Contains(got, "{{user}}") || !strings.Contains(got, "a {{char}} storm") || strings.Count(got, "- one two") != 12 || !strings.Contains(got, "Robin will act") {
		t.Errorf("%s", got)
	}
	if got = (beats.Ask{}).Request(prompts.BuiltIn(), "Tove", "Robin"); strings.Contains(got, "{{") || strings.Contains(got, "Robin will act") || !strings.Contains(got, "Tove") {
		t.Errorf("%s", got)
	}
}

// The prompt's example is an answer that is taken whole.
func TestPrompt_Example(t *testing.T) {
	for _, example := range exampletest.Of(t, prompts.BuiltIn().Text("chat/beats")) {
		exampletest.Keeps(t, beats.Schema, example)
		var a beats.Answer
		if err := json.Unmarshal(example, &a); err != nil {
			t.Fatal(err)
		}
		if got := beats.Clean(a.Proposals, nil); !slices.Equal(got, a.Proposals) {
			t.Errorf("%q becomes %q", a.Proposals, got)
		}
		if err := beats.Check(a.Proposals, "The story is told in English."); err != nil {
			t.Error(err)
		}
		for _, p := range a.Proposals {
			if len(strings.Fields(p)) > 25 {
				t.Errorf("%q is too long", p)
			}
		}
	}
}

// Whatever the answer is, the proposals from it can be shown and used in a prompt.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "1. One.\n2. Two.", "\"One.\",\n\"Two.\"", "<think>no</think>Something happens at the mill tonight.", "I'm sorry, but no.", "{\"proposals\":[", "**A:**\n- ", "\x00\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		list := beats.Lines(answer, nil)
		if len(list) > beats.Wanted {
			t.Errorf("%d proposals", len(list))
		}
		for i, p := range list {
			if p == "" || len(p) > beats.MaxBytes || !utf8.ValidString(p) || strings.ContainsAny(p, "\n\r\x1b\x00") || slices.Contains(list[:i], p) {
				t.Errorf("%q", p)
			}
		}
	})
}

func TestFor(t *testing.T) {
	t.Parallel()
	user, others := beats.For([]string{"Robin Hale", "Robin"}, []string{"Robin pries up the board.", "robin hale says nothing.", "Robin's letter burns.", "Robins sing outside.", "Tove tells Robin to wait.", "Robin"})
	if strings.Join(user, "|") != "Robin pries up the board.|robin hale says nothing." || len(others) != 4 {
		t.Errorf("%q and %q", user, others)
	}
	// A clause with such a beginning says what the user does too; two names that belong together do
	// not.
	for sentence, does := range map[string]bool{
		"Tove takes the letter and Robin follows her down the trap.":     true,
		"The lamp goes out while Robin gasps.":                           true,
		"Tove hebt die Klappe, und Robin steigt hinab.":                  true,
		"Tove ouvre la trappe et Robin descend.":                         true,
		"Tove abre la trampa y Robin baja.":                              true,
		"Between Tove and Robin falls a sandbag.":                        false,
		"The door falls shut and locks Tove and Robin in.":               false,
		"Tove offers Robin the lamp and Robin's own scarf.":              false,
		"Tove hides the letter before Robin, and the lamp flickers.":     false,
		"Somebody calls from the gallery for Tove and Robin to come up.": false,
		"Der Wind trennt Tove und Robin.":                                false,
	} {
		if user, _ := beats.For([]string{"Robin"}, []string{sentence}); len(user) > 0 != does {
			t.Errorf("%q says what the user does: %v", sentence, !does)
		}
	}
}
