package text

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Truncate returns the longest beginning of s of at most n bytes that ends between two characters
// as readers see them: it separates no letter from its accents and splits no emoji.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	if isBorder(s, n) {
		return s[:n]
	}
	from := n - 1 // where a character certainly begins
	for from > 0 && !isBorder(s, from) {
		from--
	}
	end := from
	for it := graphemes.FromString(s[from:]); it.Next() && from+it.End() <= n; {
		end = from + it.End()
	}
	if end > 0 {
		return s[:end]
	}
	for n > 0 && !utf8.RuneStart(s[n]) { // one character that is longer than all of it
		n--
	}
	return s[:n]
}

// isBorder reports whether a character certainly begins at byte i of s. That is so at every ASCII
// byte except the second one of a line break.
func isBorder(s string, i int) bool { return i == 0 || s[i] < utf8.RuneSelf && s[i] != '\n' }

// Shorten returns s if it has at most n bytes. Otherwise it returns its beginning with an ellipsis,
// together at most n bytes, up to the end of a word if there is one in the second half.
func Shorten(s string, n int) string {
	const sign = "…"
	if len(s) <= n {
		return s
	}
	s = Truncate(s, n-len(sign))
	if at := strings.LastIndexByte(s, ' '); at > len(s)/2 {
		s = s[:at]
	}
	return strings.TrimRight(s, " ,;:–-") + sign
}
