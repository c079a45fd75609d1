package plist

import "strings"

// Repair repairs a content if there is only one way: it closes missing parentheses and tidies it
// with Tidy.
func Repair(content string) string {
	if !Valid(content) {
		if closed := closeList(content); Valid(closed) {
			content = closed
		}
	}
	return Tidy(content)
}

// maxMissingClosings is the maximum number of missing parentheses that are treated as an oversight.
const maxMissingClosings = 3

func closeList(content string) string {
	content = strings.TrimSpace(content)
	if strings.Contains(content, "\n\n") {
		return content
	}
	inner := strings.TrimRight(strings.TrimSuffix(content, "]"), " \t\n,;")
	missing := strings.Count(inner, "(") - strings.Count(inner, ")")
	if missing < 0 || missing > maxMissingClosings {
		return content
	}
	return inner + strings.Repeat(")", missing) + "]"
}
