package text

import "unicode"

// Script returns the script of most letters of s, as the keys of unicode.Scripts spell it, "" if s
// has no letters. Japanese, which mixes three, is Han.
func Script(s string) string {
	counts := map[string]int{}
	best := ""
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		name := scriptOf(r)
		if counts[name]++; counts[name] > counts[best] || best == "" {
			best = name
		}
	}
	return best
}

func scriptOf(r rune) string {
	if r < 0x250 || unicode.Is(unicode.Latin, r) {
		return "Latin"
	}
	if unicode.In(r, unicode.Hiragana, unicode.Katakana) {
		return "Han"
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}
