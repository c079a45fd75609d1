package novel

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// oocLine matches a line marked as out of character.
var oocLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?mi)^[ \t]*(?:\*\*)?OOC(?:\*\*)?[ \t]*:.*$\n?`)
})

// emptyLines matches the empty lines left after lines were removed.
var emptyLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*\n(?:[ \t]*\n)+`) })

// RemoveOOC returns a text without its out-of-character parts: ((…)), (OOC …), [OOC …] and lines
// that begin with OOC. An unterminated part stays.
func RemoveOOC(s string) string {
	if !strings.Contains(s, "((") && !hasFold(s, "ooc") {
		return s
	}
	var out strings.Builder
	changed := false
	for rest := s; rest != ""; {
		at := strings.IndexAny(rest, "([")
		if at < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:at])
		n := oocLength(rest[at:])
		if n == 0 {
			out.WriteByte(rest[at])
			n = 1
		} else {
			changed = true
		}
		rest = rest[at+n:]
	}
	text := out.String()
	if cut := oocLine().ReplaceAllString(text, ""); cut != text {
		text, changed = cut, true
	}
	if !changed {
		return s
	}
	return strings.TrimSpace(emptyLines().ReplaceAllString(text, "\n\n"))
}

func hasFold(s, word string) bool {
	return strings.Contains(s, word) || strings.Contains(s, strings.ToUpper(word)) ||
		strings.Contains(strings.ToLower(s), word)
}

// oocLength returns the length of the out-of-character part that a text begins with, 0 for none.
func oocLength(s string) int {
	end := ""
	switch {
	case strings.HasPrefix(s, "(("):
		end = "))"
	case len(s) > 4 && strings.EqualFold(s[1:4], "ooc") && !unicode.IsLetter(rune(s[4])):
		end = map[byte]string{'(': ")", '[': "]"}[s[0]]
	default:
		return 0
	}
	const longest = 4_000 // a longer one has only lost its end
	s = s[:min(len(s), longest)]
	if at := strings.Index(s, end); at >= 0 {
		return at + len(end)
	}
	return 0
}
