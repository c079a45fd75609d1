package fill

import (
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Same reports whether two names are spellings of one. See plist.SameName.
func Same(a, b string) bool { return plist.SameName(a, b) }

// wordsOf returns the words of texts, folded.
func wordsOf(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, t := range texts {
		for _, w := range text.Words(text.Fold(clip(t, 4000))) {
			out[w] = true
		}
	}
	return out
}

// countCommon counts the words that two sets share.
func countCommon(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// isPartOf reports whether all words of a name are words of a text.
func isPartOf(name, in string) bool {
	words := wordsOf(name)
	return len(words) > 0 && countCommon(words, wordsOf(in)) == len(words)
}
