package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"
)

// Words returns the words of s in order, each with the index of its first byte. Each is an
// unchanged part of s, not folded. An apostrophe within a word belongs to it, and so does the point
// of 3.5; a hyphen and an underscore do not. In Chinese a word is a character, in Japanese a
// character or a run of katakana, and in Thai a letter with its signs: rules cannot find the words
// between blanks there.
func Words(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		it := words.FromString(parted(s))
		for it.Next() {
			if w := s[it.Start():it.End()]; hasWord(w) && !yield(it.Start(), w) {
				return
			}
		}
	}
}

// Sentences returns the sentences of s in order, each with the index of its first byte and without
// the surrounding white space. Quotation marks, brackets and asterisks belong to the text that they
// enclose. The end of a line ends a sentence. Text without a letter or a digit is not a sentence.
func Sentences(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		it := sentences.FromString(quoted(s))
		start := 0
		for it.Next() {
			end := it.End()
			if end < len(s) { // an opening bracket right behind belongs to the next
				end = start + len(strings.TrimRightFunc(s[start:end], opens))
			}
			whole := s[start:end]
			from := end - len(strings.TrimLeftFunc(whole, unicode.IsSpace))
			start = end
			if part := strings.TrimSpace(whole); hasWord(part) && !yield(from, part) {
				return
			}
		}
	}
}

// opens reports whether r is a bracket or a quotation mark that can only open.
func opens(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) }

// hasWord reports whether s has a letter or a digit.
func hasWord(s string) bool {
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' {
				return true
			}
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			return true
		}
	}
	return false
}

// parted returns s, with its length in bytes, with blanks for the signs that join words in programs
// and in Swedish but separate them in a play: _word_ and Mara:hello.
func parted(s string) string {
	if !strings.ContainsAny(s, "_:") {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c == '_' || c == ':' {
			b[i] = ' '
		}
	}
	return string(b)
}

// quoted returns s, with its length in bytes, changed for the rules of sentences: marks of type
// become quotation marks, which end with their sentence, and an ellipsis becomes three points.
func quoted(s string) string {
	s = strings.ReplaceAll(s, "…", "...")
	if !strings.ContainsAny(s, "*_`~") {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		switch c {
		case '*', '_', '`', '~':
			b[i] = '"'
		}
	}
	return string(b)
}

// InWord reports whether r belongs to a word that must not be cut: a letter, a mark, a digit or an
// underscore. It is false for letters of scripts without blanks between words, or with endings
// directly after them: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese and Tibetan.
func InWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '_'
	}
	if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
		return false
	}
	return !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) && r != 'ー'
}

// HasWord reports whether s contains word with no letter or digit of a word beside it; see InWord.
func HasWord(s, word string) bool {
	for at := 0; word != ""; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		if at += i; Alone(s, at, at+len(word)) {
			return true
		}
		at++
	}
	return false
}

// Alone reports whether the bytes of s from one index to another touch no other part of a word. In
// Hebrew and Arabic "the", "in" and "and" are written onto a word, so that only the following
// character counts.
func Alone(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	first, _ := utf8.DecodeRuneInString(s[from:to])
	after, _ := utf8.DecodeRuneInString(s[to:])
	return (from == 0 || !InWord(before) || unicode.In(first, unicode.Hebrew, unicode.Arabic)) &&
		(to == len(s) || !InWord(after))
}

// Unspaced reports whether r is of a script that writes no spaces between words: Chinese,
// Japanese, Thai, Lao, Khmer or Burmese.
func Unspaced(r rune) bool {
	return r > 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
