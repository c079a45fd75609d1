package scene

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// paragraphs cleans text that may have several lines: no control characters but
// the newline, no blanks at the ends of lines.
func paragraphs(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		if l = prompts.OneLine(l); l != "" {
			l = strings.Repeat(" ", min(indent, maxIndent)) + l
		}
		lines[i] = l
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

const maxIndent = 12

// bulletText makes the text of one bullet: one line that begins neither a
// heading nor a list nor any other block. It is "" when no letter or digit is
// left, or when it is only a heading's name.
func bulletText(s string) string {
	s = prompts.OneLine(s)
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
