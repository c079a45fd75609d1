package novel

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// asideLine is a line that says itself to be out of character.
var asideLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?mi)^[ \t]*(?:\*\*)?OOC(?:\*\*)?[ \t]*:.*$\n?`) })

// manyBlanks are the empty lines that are left where lines were taken out.
var manyBlanks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*\n(?:[ \t]*\n)+`) })

// InCharacter returns a text without what is said out of character in it: ((…)), (OOC …),
// [OOC …] and lines that begin with OOC. An aside that does not end is left alone.
func InCharacter(s string) string {
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
		n := asideLength(rest[at:])
		if n == 0 {
			out.WriteByte(rest[at])
			n = 1
		} else {
			changed = true
		}
		rest = rest[at+n:]
	}
	text := out.String()
	if cut := asideLine().ReplaceAllString(text, ""); cut != text {
		text, changed = cut, true
	}
	if !changed {
		return s
	}
	return strings.TrimSpace(manyBlanks().ReplaceAllString(text, "\n\n"))
}

func hasFold(s, word string) bool {
	return strings.Contains(s, word) || strings.Contains(s, strings.ToUpper(word)) || strings.Contains(strings.ToLower(s), word)
}

// asideLength returns how long the aside is that a text begins with, 0 for none.
func asideLength(s string) int {
	end := ""
	switch {
	case strings.HasPrefix(s, "(("):
		end = "))"
	case len(s) > 4 && strings.EqualFold(s[1:4], "ooc") && !unicode.IsLetter(rune(s[4])):
		end = map[byte]string{'(': ")", '[': "]"}[s[0]]
	default:
		return 0
	}
	const longest = 4_000 // what goes on for longer has only lost its end
	s = s[:min(len(s), longest)]
	if at := strings.Index(s, end); at >= 0 {
		return at + len(end)
	}
	return 0
}
