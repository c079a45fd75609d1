package activation

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// space tells whether JavaScript's trim and \s take r for white space. Unlike
// Go's, that counts the byte order mark and does not count U+0085.
func space(r rune) bool {
	return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
}

// trim is JavaScript's trim.
func trim(s string) string { return strings.TrimFunc(s, space) }

// fold is s as JavaScript's toLowerCase has it: what is compared where case does
// not matter.
func fold(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return string(appendFold(make([]byte, 0, len(s)+8), s))
		}
	}
	return s
}

// appendFold appends fold(s). Two letters have no lower case of their own: İ
// becomes two characters, and Σ depends on the word that it stands in. Words
// with a Σ are the only ones that need the full algorithm; a word ends where it
// can have no influence, so that a text folds as its parts do.
func appendFold(out []byte, s string) []byte {
	word := 0 // where the word began, in s
	from := len(out)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			out = append(out, c)
			i++
			if c <= ' ' {
				word, from = i, len(out)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 'Σ':
			end := i
			for end < len(s) && s[end] > ' ' {
				end++
			}
			out = appendLower(out[:from], s[word:end])
			i = end
			continue
		case r == 'İ':
			out = append(out, "i\u0307"...)
		case r == utf8.RuneError && size == 1:
			out = append(out, c)
		default:
			out = utf8.AppendRune(out, unicode.ToLower(r))
		}
		i += size
	}
	return out
}

// appendLower appends s in lower case by the full algorithm. The caser gets room for
// all of it: where it runs out of room at a Σ it forgets what stands around that.
func appendLower(out []byte, s string) []byte {
	from := len(out)
	out = slices.Grow(out, 3*len(s)) // no character becomes longer than that
	n, _, err := cases.Lower(language.Und).Transform(out[from:cap(out)], []byte(s), true)
	if err != nil {
		return append(out[:from], strings.ToLower(s)...)
	}
	return out[:from+n]
}

// lowerASCII makes text lower case in place, eight bytes at a time. It is false,
// with text half done, if not all of it is ASCII.
func lowerASCII(text []byte) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		if x&high != 0 {
			return false
		}
		// The high bit of each byte tells whether it is from A on, and beyond Z.
		from, beyond := x+(0x80-'A')*ones, x+(0x7f-'Z')*ones
		binary.LittleEndian.PutUint64(text[i:], x|(from^beyond)&high>>2)
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			return false
		case 'A' <= c && c <= 'Z':
			text[i] = c + 'a' - 'A'
		}
	}
	return true
}

// wordByte tells whether c is in JavaScript's \w. No byte of a character beyond
// ASCII is.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// alone tells whether no word character touches s[from:to].
func alone(s string, from, to int) bool {
	return (from == 0 || !wordByte(s[from-1])) && (to == len(s) || !wordByte(s[to]))
}
