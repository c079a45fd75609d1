package lessons

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// nothing stands for a missing part of a prompt.
const nothing = "(none)"

// said is text from outside on one line of at most n runes.
func said(s string, n int) string {
	return prompts.Bounded(prompts.OneLine(s[:min(len(s), 8*n)]), n)
}

// sentences takes a text apart where sentences end.
func sentences(s string) []string {
	var out []string
	from := 0
	ended := false
	for i, r := range s {
		switch {
		case strings.ContainsRune("。！？", r):
			at := i + utf8.RuneLen(r)
			out, from = append(out, s[from:at]), at
		case ended && unicode.IsSpace(r):
			out, from, ended = append(out, s[from:i]), i, false
		case strings.ContainsRune(".!?…", r):
			ended = true
		case !strings.ContainsRune("\"'”’»)*", r):
			ended = false
		}
	}
	out = append(out, s[from:])
	kept := out[:0]
	for _, x := range out {
		if x = strings.TrimSpace(x); strings.IndexFunc(x, unicode.IsLetter) >= 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

// words are the words of a text in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}
