package cli

import (
	"errors"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// A thing is found by the beginning of its id in either case, where no other begins so.
func TestByID(t *testing.T) {
	t.Parallel()
	missing := errors.New("none")
	for _, c := range []struct {
		ref, want string
		err       error
	}{
		{"01AB", "01AB", nil}, {"01ac", "01AC", nil}, {"02", "02AB", nil},
		{"01a", "", failure.ErrAmbiguous}, {"03", "", missing}, {"", "", missing}, {"01ABC", "", missing},
	} {
		got, err := ByID([]string{"01AB", "01AC", "02AB"}, func(s string) string { return s }, c.ref, "things", missing)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: %q, %v; want %q, %v", c.ref, got, err, c.want, c.err)
		}
	}
}
