package config_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
)

func TestVoice_BanAndAllow(t *testing.T) {
	var v config.Voice
	value, added := v.Ban(` maybe, "just" maybe `)
	if want := `["maybe, \"just\" maybe"]`; value != want || !added {
		t.Errorf("banned, it is %s (%v), not %s", value, added, want)
	}
	v.Phrases = []string{"A shiver", "/x+/"}
	for phrase, want := range map[string]bool{"a SHIVER": false, "": false, "  ": false, "another": true} {
		if _, added := v.Ban(phrase); added != want {
			t.Errorf("%q is added: %v", phrase, added)
		}
	}
	if got, want := v.Allow("a shiver"), `["/x+/"]`; got != want {
		t.Errorf("allowed, it is %s, not %s", got, want)
	}
	if len(v.Phrases) != 2 || v.Phrases[0] != "A shiver" {
		t.Errorf("the list itself became %q", v.Phrases)
	}
	if got := (config.Voice{}).Allow("x"); got != "[]" {
		t.Errorf("of none it is %s", got)
	}
}
