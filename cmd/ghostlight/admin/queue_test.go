package admin

import (
	"testing"
)

// What is shown of an operation holds no password.
func TestDiscreetLane(t *testing.T) {
	for in, want := range map[string]string{
		"ollama":                            "ollama",
		"ollama http://me:secret@host:1":    "ollama http://me:xxxxx@host:1",
		"ollama http://host:1/a":            "ollama http://host:1/a",
		"ollama http://me:se cret@host\x7f": "ollama …",
	} {
		if got := discreetLane(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
