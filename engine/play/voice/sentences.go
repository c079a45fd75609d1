package voice

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// marks end a sentence, and closers may follow them.
const (
	marks   = ".!?…‽。！？．｡؟।॥"
	closers = "\"'”’“‘»«›‹)]*_~`」』）》 \u00a0\u202f"
)

// ended reports whether a sentence has its mark.
func ended(sentence string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(sentence, closers))
	return strings.ContainsRune(marks, r)
}

// Whole reports whether a text ends with a complete sentence. A text that ends in markup, a quote
// or a picture counts as complete, if nothing is open there.
func Whole(s string) bool {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	r, _ := utf8.DecodeLastRuneInString(s)
	return s == "" || strings.ContainsRune(marks, r) ||
		(strings.ContainsRune(closers+":—\ufe0f\u200d", r) || unicode.Is(unicode.So, r)) && Open(s) == ""
}

// LastEnd returns the end of the last complete sentence of a text that ends after byte from, and
// the marks that close quotes or markup open there. If no sentence ends there, it is the end of a
// line; if there is none either, it is from.
func LastEnd(s string, from int) (at int, closing string) {
	at, line := from, from
	for i, part := range text.Sentences(s) {
		switch end := i + len(part); {
		case end <= from:
		case ended(part):
			at = end
		case strings.HasPrefix(strings.TrimLeft(s[end:], " \t"), "\n"):
			line = end
		}
	}
	if at == from {
		at = line
	}
	return at, Open(s[:at])
}

// openMark is a quote, a bracket or markup that a text has opened.
type openMark struct {
	closing string // the closing mark
	from    int    // its position in bytes
}

// pairs maps opening marks to closing ones. Quotes are of several languages: the mark that opens in
// English closes in German.
var pairs = map[rune]string{'"': `"`, '“': "”", '„': "“", '‘': "’", '‚': "‘", '«': "»", '»': "«", '(': ")", '[': "]",
	'「': "」", '『': "』", '（': "）", '《': "》"}

// maxOpen limits the number of open marks: more is not ordinary text.
const maxOpen = 16

// openIn returns the open marks at the end of a paragraph, the outermost first.
func openIn(para string) (list []openMark) {
	for i := 0; i < len(para); {
		r, n := utf8.DecodeRuneInString(para[i:])
		if isMarkup(r) {
			n = len(para[i:]) - len(strings.TrimLeft(para[i:], string(r)))
		}
		before, _ := utf8.DecodeLastRuneInString(para[:i])
		behind, _ := utf8.DecodeRuneInString(para[i+n:])
		list = take(list, para[i:i+n], i, r, before, behind)
		i += n
	}
	return list
}

// take updates the open marks for the text at byte at: a letter, or a run of one markup sign.
func take(list []openMark, mark string, at int, r, before, behind rune) []openMark {
	inWord := isLetter(before) && isLetter(behind)
	closing, opens := pairs[r]
	switch {
	case isMarkup(r):
		if closing, opens = mark, !isBlank(behind); len(mark) > 3 || r == '_' && inWord ||
			isBlank(before) && isBlank(behind) {
			return list
		}
	case inWord && isApostrophe(r), strings.ContainsRune("([", r) && strings.ContainsRune(":;-", before):
		return list // within a word, or a face
	case (r == '«' || r == '»') && isBlank(behind) && behind != utf8.RuneError && behind != '\n':
		closing = string(behind) + closing
	}
	for i, o := range slices.Backward(list) {
		is := strings.TrimSpace(o.closing)
		if is == mark || is == "“" && (r == '"' || r == '”') {
			return slices.Delete(list, i, i+1)
		}
	}
	if !opens || len(list) >= maxOpen || r == '»' && closing != "«" {
		return list
	}
	return append(list, openMark{closing, at})
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isBlank(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

// speech returns the beginning of the outermost open quote in a paragraph, -1 for none.
func speech(para string) int {
	for _, o := range openIn(para) {
		if strings.ContainsAny(o.closing, "\"”“’‘»«」』") {
			return o.from
		}
	}
	return -1
}

// Open returns the marks that close everything open in the last paragraph of a text, "" for none.
func Open(s string) string {
	var b strings.Builder
	for _, o := range slices.Backward(openIn(s[strings.LastIndexByte(s, '\n')+1:])) {
		b.WriteString(o.closing)
	}
	return b.String()
}
