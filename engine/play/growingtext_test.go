package play

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever is appended to a text, earlier results stay unchanged.
func TestGrowing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var g GrowingText
		have, want := "", ""
		var held, as []string
		for range rapid.IntRange(1, 40).Draw(t, "pieces") {
			if rapid.IntRange(0, 9).Draw(t, "another") == 0 {
				have = rapid.String().Draw(t, "text")
				want = have
			}
			more := rapid.String().Draw(t, "more")
			have, want = g.Append(have, more), want+more
			if have != want {
				t.Fatalf("%q, not %q", have, want)
			}
			held, as = append(held, have), append(as, string([]byte(have)))
		}
		for i := range held {
			if held[i] != as[i] {
				t.Fatalf("%q became %q", as[i], held[i])
			}
		}
	})
}
