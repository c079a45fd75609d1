package text_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		in          string
		least, most int
	}{
		{"", 0, 0}, {" ", 1, 1}, {"Mara", 1, 2}, {"私は田中です", 3, 8}, {"👍", 1, 3},
		{strings.Repeat("The lantern swings in the draught. ", 10), 70, 100},
	} {
		if got := text.Tokens(tt.in); got < tt.least || got > tt.most {
			t.Errorf("Tokens(%q) = %d, want %d to %d", tt.in, got, tt.least, tt.most)
		}
		if one, two := text.TokensAt(tt.in, 100), text.TokensAt(tt.in, 200); one != text.Tokens(tt.in) || two > 2*one || two < one {
			t.Errorf("TokensAt(%q, …) = %d at 100, %d at 200", tt.in, one, two)
		}
	}
}
