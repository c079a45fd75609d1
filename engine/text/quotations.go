package text

import (
	"strings"
	"unicode/utf8"
)

// quoteEnds are the marks that a quotation begins with, and what ends it.
var quoteEnds = map[rune]string{'“': "”\"", '"': "\"", '„': "“”\"", '«': "»", '»': "«", '「': "」", '『': "』"}

// Quotations returns the quoted parts of a text; one that is not ended goes on to the end.
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
