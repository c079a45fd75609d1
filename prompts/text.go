package prompts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine puts text from outside on one line: every run of blanks and control characters becomes a
// space, and invisible or invalid characters are removed.
func OneLine(s string) string {
	if isTidy(s) {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), 4<<10))
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			gap = b.Len() > 0
			continue
		case r == utf8.RuneError || r != '\u200c' && r != '\u200d' && unicode.Is(unicode.Cf, r):
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isTidy reports whether OneLine certainly leaves s unchanged. It recognizes most such texts.
func isTidy(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return true
}

// Bounded returns at most n runes of s. If something was cut off, the last of them is an ellipsis.
func Bounded(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at, kept := 0, 0
	for i := range s {
		if kept == n-1 {
			at = i
		}
		if kept == n {
			return strings.TrimRightFunc(s[:at], unicode.IsSpace) + "…"
		}
		kept++
	}
	return s
}
