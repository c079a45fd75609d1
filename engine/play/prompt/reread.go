package prompt

import (
	"strings"
	"unicode/utf8"
)

// Reread predicts how many tokens of next a server has to read when the last it
// saw is prev (a prompt, and the reply to it as one more message): everything
// after the first difference. A nil count estimates.
func Reread(prev, next []Message, count func(string) int) int {
	if count == nil {
		count = estimate
	}
	i := 0
	for i < len(prev) && i < len(next) && prev[i] == next[i] {
		i++
	}
	tokens := 0
	if i < len(next) && i < len(prev) && prev[i].Role == next[i].Role {
		tokens += count(next[i].Content[shared(prev[i].Content, next[i].Content):]) + messageTokens/2
		i++
	}
	for ; i < len(next); i++ {
		tokens += count(next[i].Content) + messageTokens
	}
	return tokens
}

// shared returns the length of the common prefix of a and b in bytes, up to the last word break,
// since tokens seldom cross one.
func shared(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == len(b) {
		return i
	}
	for i > 0 && !utf8.RuneStart(b[i]) {
		i--
	}
	return max(strings.LastIndexAny(b[:i], " \n"), 0)
}
