package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FinalPrompt returns the prompt to store: that of the answer with the phrases of the camera, the
// style and the user's own words at its end, each once.
func FinalPrompt(in Input, a Answer) string {
	prompt := strings.TrimSpace(a.Prompt)
	if prompt == "" {
		return ""
	}
	prompt = AddCamera(prompt, in.Camera)
	if style := strings.Trim(onOneLine(Style(in), plainLooks), " ."); style != "" && !containsPhrase(prompt, style) {
		prompt = addSentence(prompt, style)
	}
	return addWords(prompt, in.Words)
}

// WithCamera returns a prompt with the phrases of a camera and the user's own words about it. It
// is idempotent.
func WithCamera(prompt string, c Camera, extra string) string {
	return addWords(AddCamera(prompt, c), extra)
}

// addSentence appends a phrase to a prompt as a sentence.
func addSentence(prompt, phrase string) string {
	prompt = strings.TrimRightFunc(prompt, unicode.IsSpace)
	if prompt == "" {
		return sentence([]string{phrase})
	}
	if !strings.ContainsRune(".!?…\"”", last(prompt)) {
		prompt = strings.TrimRight(prompt, ",;: ") + "."
	}
	return prompt + " " + sentence([]string{phrase})
}

// addWords appends the user's own words about the camera, once.
func addWords(prompt, extra string) string {
	if extra = strings.TrimSpace(extra); extra == "" || strings.HasSuffix(prompt, extra) {
		return prompt
	}
	return strings.TrimSpace(prompt + " " + extra)
}

// onOneLine returns a text on one line, at most n runes of it.
func onOneLine(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n])) + "…"
}
