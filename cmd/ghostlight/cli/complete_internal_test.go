package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
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

func TestCheckFlagGroups(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--a --b":     "only one of these can be given: --a, --b",
		"--d --c":     "",
		"--d":         "give these together: --c, --d; missing: --c",
		"":            "give one of these: --a, --b, --d",
		"--a --c --d": "",
	} {
		c := &cobra.Command{
			Use:           "x",
			RunE:          func(*cobra.Command, []string) error { return nil },
			SilenceErrors: true,
			SilenceUsage:  true,
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			c.Flags().Bool(name, false, "")
		}
		c.MarkFlagsMutuallyExclusive("a", "b")
		c.MarkFlagsRequiredTogether("c", "d")
		c.MarkFlagsOneRequired("a", "b", "d")
		c.PreRunE = checkFlagGroups
		c.SetArgs(strings.Fields(args))
		words := ""
		if err := c.Execute(); err != nil {
			if words = err.Error(); !isUsageError(err) {
				t.Errorf("%q: %v is no usage error", args, err)
			}
		}
		if words != want {
			t.Errorf("%q: %q, want %q", args, words, want)
		}
	}
}
