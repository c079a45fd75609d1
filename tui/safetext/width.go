package safetext

import (
	"unicode"
	"unicode/utf8"
)

// HasAgreedWidth reports whether terminals agree on the width of a grapheme cluster. For several
// runes some terminals use the sum, others the width of the whole; half a flag is drawn as a
// symbol or not at all, and runes newer than their tables as a mark or a letter.
func HasAgreedWidth(cluster string) bool {
	if len(cluster) == 1 {
		return true
	}
	r, n := utf8.DecodeRuneInString(cluster)
	switch {
	case r == placeholder: // with the marks for the picture's cell
		return true
	case n < len(cluster), r == utf8.RuneError: // it has two columns in some regions
		return false
	case r < 0x300, r >= 0x2010 && r < 0x2028, r >= 0x2100 && r < 0x2c00, // Latin, quotes and dashes, lines and signs
		r >= 0x3000 && r < 0xa000, r >= 0xac00 && r < 0xd7a4: // kana, ideographs, Hangul
		return true // the tables are slow
	}
	return !unicode.Is(unicode.Regional_Indicator, r) && unicode.IsGraphic(r) && !unicode.Is(unicode.M, r)
}
