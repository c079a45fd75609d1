package scene

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Statements returns the sentences of a bullet. A sentence of one word is joined to the next: "Mr."
// is none. Text without words between two sentences stays between them.
func Statements(bullet string) (out []string) {
	end := 0 // of the last sentence in the bullet
	for at, s := range text.Sentences(bullet) {
		if n := len(out); n > 0 && oneWord(out[n-1]) {
			out[n-1] = strings.Join(append([]string{out[n-1]}, append(strings.Fields(bullet[end:at]), s)...), " ")
		} else {
			out = append(out, s)
		}
		end = at + len(s)
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
