package voice_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
)

func TestRoles(t *testing.T) {
	set, faults := voice.Compile(voice.Roles("Tove prompts in a theatre."), nil)
	if len(faults) > 0 || set.Len() == 0 {
		t.Fatal(faults)
	}
	for text, found := range map[string]bool{
		"She nods. As an AI language model, I cannot":                       true,
		"I'm sorry, but I can't help with that.":                            true,
		"*Sie nickt.* Als KI kann ich das nicht.":                           true,
		"En tant qu’IA, je ne peux pas":                                     true,
		"Let me know if you'd like me to continue!":                         true,
		"\"I'm sorry, but I can't stay,\" she says. \"I can't help it.\"":   false,
		"He works as an aide to the king. As an airman he has seen it all.": false,
	} {
		if f, _ := first(voice.Rules{Set: set}, text, 3); (f != nil && f.Kind == voice.Role) != found {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestListed(t *testing.T) {
	for _, lang := range phrases.Languages() {
		rules := voice.Listed(lang, phrases.Bundled(lang))
		if set, faults := voice.Compile(rules, nil); len(faults) > 0 || set.Len() < 40 || rules[0].Set != lang {
			t.Errorf("%s: %d rules, %v", lang, set.Len(), faults)
		}
	}
}

// What counts as done is only full sentences, and what is late is never a whole phrase.
func TestWatch_FirmAndLate(t *testing.T) {
	w := voice.New(voice.Rules{Set: compile(t, "a shiver down her spine", "delve")}, "")
	for _, step := range []struct{ add, firm, late string }{
		{"She nods", "", "She nods"},
		{". ", "", "She nods. "},
		{"Then a sh", "She nods.", "She nods. Then a "},
		{"iver down her spin", "She nods.", "She nods. Then a shiver down her "},
	} {
		w.Add(step.add)
		if firm, late := w.Text()[:w.Firm()], w.Text()[:w.Late()]; firm != step.firm || late != step.late {
			t.Errorf("after %q: firm %q, late %q", step.add, firm, late)
		}
	}
	w = voice.New(voice.Rules{Set: compile(t, "/shivers? .*/")}, "")
	w.Add("It shivers and goes on and on")
	if late := w.Text()[:w.Late()]; late != "It " {
		t.Errorf("late %q", late)
	}
	if f := w.Overdue(); f == nil || f.At != 3 {
		t.Errorf("overdue: %+v", f)
	}
}
