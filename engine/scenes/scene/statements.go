package scene

import (
	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Statements are the sentences of a bullet. One of a single word goes with the one after it: "Mr."
// is none.
func Statements(bullet string) (out []string) {
	for _, s := range text.Sentences(bullet) {
		if n := len(out); n > 0 && oneWord(out[n-1]) {
			out[n-1] += " " + s
			continue
		}
		out = append(out, s)
	}
	return out
}

func oneWord(s string) bool {
	n := 0
	for range text.Words(s) {
		n++
	}
	return n == 1
}
