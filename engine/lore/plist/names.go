package plist

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// maxName is the number of bytes of a name that are compared.
const maxName = 400

// SameName reports whether two names are spellings of the same name: they have the same words, as
// text.Equal compares them, whatever separates the words.
func SameName(a, b string) bool {
	folded := FoldName(a)
	return folded != "" && folded == FoldName(b)
}

// FoldName returns the form of a name that SameName compares.
func FoldName(name string) string {
	name = text.Normalize(name[:min(len(name), maxName)])
	if strings.Contains(name, "{{") || strings.ContainsAny(name, "+#") { // a macro is no word, and C++ is not C
		return name
	}
	var words []string
	for _, w := range text.Words(name) {
		words = append(words, w)
	}
	if len(words) == 0 {
		return name
	}
	return strings.Join(words, " ")
}
