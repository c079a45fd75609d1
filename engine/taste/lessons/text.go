package lessons

import (
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// none replaces a missing part of a prompt.
const none = "(none)"

// onOneLine returns an outside text on one line of at most n runes.
func onOneLine(s string, n int) string {
	return prompts.Bounded(prompts.OneLine(s[:min(len(s), 8*n)]), n)
}

// sentences splits a text at the ends of sentences.
func sentences(s string) []string {
	var out []string
	for _, x := range text.Sentences(s) {
		if x = strings.TrimSpace(x); strings.IndexFunc(x, unicode.IsLetter) >= 0 {
			out = append(out, x)
		}
	}
	return out
}

func firstSentences(s string, n, most int) string {
	list := sentences(onOneLine(s, most))
	return strings.Join(list[:min(len(list), n)], " ")
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
