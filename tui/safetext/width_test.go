package safetext_test

import (
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Both ways to measure widths agree on all runes that are considered agreed on.
func TestAgreed_BothWaysOfMeasuring(t *testing.T) {
	t.Parallel()
	if ansi.StringWidth("é") != 1 {
		t.Skip("the environment has letters of two columns, which the painter asks for")
	}
	apart := 0
	for r := ' '; r <= utf8.MaxRune; r++ {
		s := string(r)
		if !utf8.ValidRune(r) || ansi.StringWidth(s) == 0 {
			continue
		}
		switch same := ansi.StringWidth(s) == ansi.StringWidthWc(s); {
		case !same && safetext.HasAgreedWidth(s):
			t.Errorf("%U: %d columns and %d", r, ansi.StringWidth(s), ansi.StringWidthWc(s))
		case !same:
			apart++
		}
	}
	if apart == 0 {
		t.Error("there is nothing that they measure differently: all that is done for it is for nothing")
	}
	for _, s := range []string{"\U0010eeee\u0305\u0305", "\U0010eeee\u0305\U0001d244\u030d"} {
		if !safetext.HasAgreedWidth(s) || ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 {
			t.Errorf("%+q, a cell of a picture: %d columns and %d", s, ansi.StringWidth(s), ansi.StringWidthWc(s))
		}
	}
	for _, s := range []string{"e\u0301", "❤️", "👩‍🚀", "🇫", "🇫🇷", "स्ते"} {
		if safetext.HasAgreedWidth(s) {
			t.Errorf("%q is agreed on", s)
		}
	}
}
