package plist

import "strings"

// Mend repairs a content as far as there is only one way: it closes what was never
// closed, and tidies it as Tidy does.
func Mend(content string) string {
	if !Valid(content) {
		if closed := closeList(content); Valid(closed) {
			content = closed
		}
	}
	return Tidy(content)
}

// mostClosings is how many missing parentheses look like an oversight.
const mostClosings = 3

func closeList(content string) string {
	content = strings.TrimSpace(content)
	if strings.Contains(content, "\n\n") {
		return content
	}
	inner := strings.TrimRight(strings.TrimSuffix(content, "]"), " \t\n,;")
	missing := strings.Count(inner, "(") - strings.Count(inner, ")")
	if missing < 0 || missing > mostClosings {
		return content
	}
	return inner + strings.Repeat(")", missing) + "]"
}
