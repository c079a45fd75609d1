package text

import (
	"strings"
	"unicode/utf8"
)

// quoteEnds are the opening marks of quotations, each with its possible closing marks.
var quoteEnds = map[rune]string{'“': "”\"", '"': "\"", '„': "“”\"", '«': "»", '»': "«", '「': "」", '『': "』"}

// Quotations returns the quoted parts of a text; an unclosed one extends to the end.
func Quotations(s string) (out []string) {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		ends := quoteEnds[r]
		if ends == "" {
			continue
		}
		stop := strings.IndexAny(s, ends)
		if stop < 0 {
			return append(out, s)
		}
		out = append(out, s[:stop])
		_, size = utf8.DecodeRuneInString(s[stop:])
		s = s[stop+size:]
	}
	return out
}
