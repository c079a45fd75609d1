package text

import "strings"

// Equal reports whether a and b say the same in the same words: they differ at most in case, width,
// white space, the kind of quotes and dashes, marks of type, and the punctuation and the list mark
// around them. Accents count, since habló and hablo are different words, and so does a question
// mark. To compare names without regard to accents, fold them first.
func Equal(a, b string) bool { return a == b || Normalize(a) == Normalize(b) }

// Normalize returns a form of s that is the same for all texts that are Equal, for use as the key
// of a map. It is not meant to be shown or stored.
func Normalize(s string) string {
	plain := outer(oneLine(unmarked(fold(unmarked(s), true))))
	if plain == "" {
		return oneLine(fold(s, true)) // only signs: they are the content
	}
	return plain
}

// unmarked returns s without the marks of type.
func unmarked(s string) string {
	if !strings.ContainsAny(s, "*_`") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '*' || r == '_' || r == '`' {
			return -1
		}
		return r
	}, s)
}

// oneLine returns s with one blank for each run of white space, and none around it.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// around is the punctuation that has no meaning at either end of a text. A question mark has one.
const around = ` .,:!"'()[]{}。、「」『』`

// outer returns s, a line, without the punctuation around it and the mark of a list, a quotation
// or a heading before it.
func outer(s string) string {
	for {
		s = strings.Trim(s, around)
		mark, rest, found := strings.Cut(s, " ")
		if !found || strings.Trim(mark, "#") != "" && !strings.Contains("-+>•·", mark) {
			return s
		}
		s = rest
	}
}
