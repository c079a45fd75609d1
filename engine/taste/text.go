package taste

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nothing stands for a missing part of a prompt.
const nothing = "(none)"

// oneLine puts text from outside on one line: every run of blanks and control
// characters becomes a space, and what cannot be seen or is not valid is taken
// away.
func oneLine(s string) string {
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

// bounded keeps at most n runes of s.
func bounded(s string, n int) string {
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

// said is text from outside on one line of at most n runes.
func said(s string, n int) string {
	return bounded(oneLine(s[:min(len(s), 8*n)]), n)
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
