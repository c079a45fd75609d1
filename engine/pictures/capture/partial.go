package capture

import (
	"encoding/json"
	"strings"
)

// Partial returns the part of the prompt in an unfinished answer. It is "" if there is none.
func Partial(answer string) string {
	_, rest, ok := strings.Cut(answer, `"prompt"`)
	if !ok {
		return ""
	}
	rest = strings.TrimLeft(rest, " \t\r\n:")
	if !strings.HasPrefix(rest, `"`) {
		return ""
	}
	end := 1
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			if end+1 >= len(rest) || rest[end+1] == 'u' && end+5 >= len(rest) {
				break // an incomplete escape
			}
			end++
		}
		end++
	}
	var out string
	if json.Unmarshal([]byte(strings.ToValidUTF8(rest[:min(end, len(rest))], "")+`"`), &out) != nil {
		return ""
	}
	return strings.TrimSpace(out)
}
