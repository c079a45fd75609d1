package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FinalPrompt makes of an answer the prompt that is kept: the phrases of the camera, the style and the
// user's own words stand at its end, each once.
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

// WithCamera is a prompt with the phrases of a camera, and with the user's own words about it
// behind. Doing it twice changes nothing.
func WithCamera(prompt string, c Camera, extra string) string {
	return addWords(AddCamera(prompt, c), extra)
}

// addSentence puts a phrase behind a prompt as a sentence of its own.
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

// addWords puts the user's own words about the camera at the end, once.
func addWords(prompt, extra string) string {
	if extra = strings.TrimSpace(extra); extra == "" || strings.HasSuffix(prompt, extra) {
		return prompt
	}
	return strings.TrimSpace(prompt + " " + extra)
}

// onOneLine puts a text on one line and keeps at most n letters of it.
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
