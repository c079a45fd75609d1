package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParams_OfUsageLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		use         string
		least, most int
	}{
		{"list", 0, 0},
		{"show CHAT", 1, 1},
		{"list [CHAT]", 0, 1},
		{"sampling MODEL [KEY VALUE]", 1, 3},
		{"import FILE...", 1, -1},
		{"order BOOK [ENTRY...] ORDER", 2, -1},
		{"split BOOK ENTRY NAME --fact N", 3, 3},
		{"switch CHAT BOOK on|off|default", 3, 3},
	} {
		if least, most := countOf(paramsOf(c.use)); least != c.least || most != c.most {
			t.Errorf("%s takes %d to %d arguments, want %d to %d", c.use, least, most, c.least, c.most)
		}
	}
}

func TestComplete_ByNameOrID(t *testing.T) {
	t.Parallel()
	list := []string{Suggestion("01AB", "The lamp"), Suggestion("01CD", "Lamplight"), Suggestion("theme", "")}
	for word, want := range map[string][]string{
		"":     {"The lamp\t01AB", "Lamplight\t01CD", "theme"},
		"the":  {"The lamp\t01AB", "theme"},
		"01a":  {"01AB\tThe lamp"},
		"lamp": {"Lamplight\t01CD"},
		"x":    nil,
	} {
		if d := cmp.Diff(want, beginningWith(list, word)); d != "" {
			t.Errorf("%q:\n%s", word, d)
		}
	}
}
