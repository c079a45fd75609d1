package failure

import (
	"strings"
)

// FirstRunes returns the first n runes of a text, all of it where it has no more.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// JoinWords puts a dot between the words that there are.
func JoinWords(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " · ")
}
