package scene

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine puts text from outside on one line: every run of blanks and control
// characters becomes a space, and what cannot be seen or is not valid is taken
// away.
func oneLine(s string) string {
	if isTidy(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			gap = b.Len() > 0
			continue
		case r == utf8.RuneError || isInvisible(r):
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

// isTidy knows most texts that oneLine has nothing to do for.
func isTidy(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return true
}

// isInvisible reports characters that only change how their neighbours look,
// the joiners of letters and emoji left out.
func isInvisible(r rune) bool {
	return r != '\u200c' && r != '\u200d' && unicode.Is(unicode.Cf, r)
}

// paragraphs cleans text that may have several lines: no control characters but
// the newline, no blanks at the ends of lines.
func paragraphs(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		if l = oneLine(l); l != "" {
			l = strings.Repeat(" ", min(indent, maxIndent)) + l
		}
		lines[i] = l
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

const maxIndent = 12

// bounded keeps at most n runes of s.
func bounded(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimRightFunc(string(r[:n-1]), unicode.IsSpace) + "…"
}

// bulletText makes the text of one bullet: one line that begins neither a
// heading nor a list nor any other block. It is "" when no letter or digit is
// left, or when it is only a heading's name.
func bulletText(s string) string {
	s = oneLine(s)
	for {
		inner := strings.TrimLeft(cutItem(s), "#>| \t")
		if inner == s {
			break
		}
		s = inner
	}
	for _, fence := range []string{"```", "~~~"} {
		s = strings.TrimSpace(strings.ReplaceAll(s, fence, ""))
	}
	if !strings.ContainsFunc(s, isWordRune) || headingOf(s) >= 0 {
		return ""
	}
	return s
}

// cutItem takes the mark of a list's item away.
func cutItem(s string) string {
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "– ", "— ", "– ", "· "} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 0 && digits < 3 && len(s) > digits+1 && (s[digits] == '.' || s[digits] == ')') && s[digits+1] == ' ' {
		return strings.TrimSpace(s[digits+2:])
	}
	return s
}
