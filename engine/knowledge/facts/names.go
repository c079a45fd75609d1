package facts

import (
	"strings"
	"unicode/utf8"
)

// Name is a name in a text: as it is written there, and the stem by which it is
// compared.
type Name struct{ Stem, Text string }

// Written are the names in a text, as Names finds them, each once and in the spelling
// that comes first.
func (x *Index) Written(elder Elder, text string) (out []Name) {
	left := map[string]bool{}
	for _, w := range x.Names(elder, text) {
		left[w] = true
	}
	runs(text, func(run string, dense bool) bool {
		low := strings.ToLower(run)
		if w := stem(low, utf8.RuneCountInString(low)); !dense && left[w] {
			delete(left, w)
			out = append(out, Name{w, strings.TrimSuffix(strings.TrimSuffix(run, "'s"), "’s")})
		}
		return len(left) > 0
	})
	return out
}

// Has tells whether all words of one text are among those of another; a text that has
// none is among no other's.
func (w Words) Has(other Words) bool {
	for _, o := range other.All {
		if !w.has(o) {
			return false
		}
	}
	return len(other.All) > 0
}
