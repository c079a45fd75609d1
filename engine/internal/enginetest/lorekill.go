package enginetest

import (
	"strings"
)

// Letters returns a number as a word.
func Letters(n int) string {
	return strings.Repeat(string(rune('A'+n%26)), 3+n/26) + "a"
}
