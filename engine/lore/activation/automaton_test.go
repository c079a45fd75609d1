package activation

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Texts of few letters, so that they begin within one another and end within one another,
// are found wherever they are, however long the shortest of them is.
func TestAutomaton_FindsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(1, 6).Draw(t, "least")
		word := rapid.StringOfN(rapid.SampledFrom([]rune("aab")), least, least+5, -1)
		words := rapid.SliceOfNDistinct(word, 1, 8, rapid.ID).Draw(t, "words")
		pieces := append(slices.Clone(words), "a", "b", "aba", " ", "b abb")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "text"), "")
		texts := make([]entryText, len(words))
		var want []uint32
		for i, w := range words {
			texts[i] = entryText{text: w, whole: none, loose: uint32(i)}
			for at := range text {
				if strings.HasPrefix(text[at:], w) {
					want = append(want, uint32(i))
				}
			}
		}
		var got []uint32
		newAutomaton(texts).scan([]byte(text), func(id uint32) { got = append(got, id) })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %d, not %d", words, text, got, want)
		}
	})
}
