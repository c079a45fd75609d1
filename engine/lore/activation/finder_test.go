package activation

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Texts of few letters, so that they begin within one another and end within one another,
// are found wherever they are, however long they are.
func TestFinder_FindsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("aab")), 1, 12, -1)
		words := rapid.SliceOfNDistinct(word, 1, 8, rapid.ID).Draw(t, "words")
		pieces := append(slices.Clone(words), "a", "b", "aba", " ", "b abb")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "text"), "")
		var f finder
		var want []int32
		for i, w := range words {
			f.add(w, false, int32(i))
			for at := range text {
				if strings.HasPrefix(text[at:], w) {
					want = append(want, int32(i))
				}
			}
		}
		f.ready()
		var got []int32
		f.find(text, func(id int32) { got = append(got, id) })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %d, not %d", words, text, got, want)
		}
	})
}
