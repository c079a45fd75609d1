package scene_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
)

func told(list []scene.DiffLine) string {
	var b strings.Builder
	for _, l := range list {
		switch l.Op {
		case ' ':
			b.WriteString(l.Text)
		default:
			b.WriteString("[" + string(rune(l.Op)) + l.Text + "]")
		}
	}
	return b.String()
}

func TestDiffWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"", "", ""},
		{"one two", "one two", "one two"},
		{"", "new", "[+new]"},
		{"old", "", "[-old]"},
		{"The rain goes on outside.", "The rain went on outside.", "The rain [-goes ][+went ]on outside."},
		{"The rain, it falls.", "The rain falls.", "The [-rain, it ][+rain ]falls."},
		{"She waits.\n\nHe goes.", "She waits.\n\nHe stays.", "She waits.\n\nHe [-goes][+stays]."},
		{"One sentence that is of no use to anybody.", "Quite another, and longer than that, you see, is what it is.",
			"[-One sentence that is of no use to anybody.][+Quite another, and longer than that, you see, is what it is.]"},
		{"don’t go 👩‍👧", "don’t stay 👩‍👧", "don’t [-go ][+stay ]👩‍👧"},
	} {
		if got := told(scene.DiffWords(c.a, c.b)); got != c.want {
			t.Errorf("%q, %q: %s, not %s", c.a, c.b, got, c.want)
		}
	}
}

func FuzzDiffWords(f *testing.F) {
	f.Add("one two three", "one 2 three")
	f.Add("a\xffb", "\x00\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		var old, next strings.Builder
		for _, l := range scene.DiffWords(a, b) {
			if l.Op != '+' {
				old.WriteString(l.Text)
			}
			if l.Op != '-' {
				next.WriteString(l.Text)
			}
		}
		if old.String() != a || next.String() != b {
			t.Errorf("%q and %q became %q and %q", a, b, old.String(), next.String())
		}
	})
}
