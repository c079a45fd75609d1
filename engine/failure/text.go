package failure

import (
	"strings"
)

// FirstRunes returns the first n runes of a text, or all of it if it has no more.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// JoinWords joins the words that are not empty with a dot.
func JoinWords(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " · ")
}
