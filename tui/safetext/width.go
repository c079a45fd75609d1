package safetext

import (
	"unicode"
	"unicode/utf8"
)

// HasAgreedWidth reports whether terminals agree on the width of a grapheme cluster that has one. Of
// several runes some terminals take the sum, some what the whole looks like; half a flag is a
// sign of its own or none, and what is newer than their tables a mark or a letter.
func HasAgreedWidth(cluster string) bool {
	if len(cluster) == 1 {
		return true
	}
	r, n := utf8.DecodeRuneInString(cluster)
	switch {
	case r == placeholder: // with the marks that say which cell of a picture it shows
		return true
	case n < len(cluster), r == utf8.RuneError: // that has two columns in some parts of the world
		return false
	case r < 0x300, r >= 0x2010 && r < 0x2028, r >= 0x2100 && r < 0x2c00, // Latin, quotes and dashes, lines and signs
		r >= 0x3000 && r < 0xa000, r >= 0xac00 && r < 0xd7a4: // kana, ideographs, Hangul
		return true // the tables are slow
	}
	return !unicode.Is(unicode.Regional_Indicator, r) && unicode.IsGraphic(r) && !unicode.Is(unicode.M, r)
}
