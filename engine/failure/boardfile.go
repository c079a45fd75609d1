package failure

import (
	"strings"
)

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
