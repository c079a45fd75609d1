package facts

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/words"
)

// Name is a name in a text: as it is written there, and folded, as it is compared.
type Name struct{ Folded, Text string }

// NamesIn returns the names in a text, as Names finds them, each once and in the spelling that
// comes first.
func (x *Index) NamesIn(elder Older, text string) (out []Name) {
	left := map[string]bool{}
	for _, w := range x.Names(elder, text) {
		left[w] = true
	}
	words.Each(text, func(w words.Word) bool {
		first, _, _ := strings.Cut(text[w.From:w.To], "'")
		first, _, _ = strings.Cut(first, "’")
		if folded := words.Fold(first); left[folded] {
			delete(left, folded)
			out = append(out, Name{folded, first})
		}
		return len(left) > 0
	})
	return out
}
