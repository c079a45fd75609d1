package safetext

import "unicode"

// Limits of the combining marks on a base rune; more of them reach into the lines above and below.
// Two accents are enough for any spelling; vowel signs and tone marks of the Indic scripts, Hebrew
// or Thai do come in threes.
const (
	maxAccents = 2
	maxMarks   = 4
)

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
	// placeholder is the rune that the Kitty graphics protocol uses to show a picture in a text
	// cell; outside text must not contain it.
	placeholder = '\U0010eeee'
)

// class is the cleaner's treatment of a rune.
type class uint8

const (
	drop class = iota
	keep
	replace
	newline
	tabulator
	mark
	emoji
	joiner
)

// classOf classifies a rune that is not printable ASCII. The common blocks come first: the tables are slow.
func classOf(r rune) class {
	switch {
	case r < 0xa0:
		return classOfControl(r)
	case r < 0x300:
		if r == 0xad { // soft hyphen: terminals disagree about its width
			return drop
		}
		if r == 0xa9 || r == 0xae {
			return emoji
		}
		return keep
	case r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4, // ideographs, Hangul
		r >= 0x3041 && r < 0x3097, r >= 0x30a0 && r < 0x3100, // kana
		r >= 0x400 && r < 0x483, r >= 0x48a && r < 0x530, r >= 0x370 && r < 0x400, // Cyrillic, Greek
		r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x203c: // dashes, quotes, ellipsis
		return keep
	}
	return classOfRare(r)
}

// classOfControl classifies the C0 and C1 controls and DEL.
func classOfControl(r rune) class {
	switch {
	case r == '\n' || r == '\r':
		return newline
	case r == '\t':
		return tabulator
	case r >= 0x20 && r < 0x7f:
		return keep
	}
	return drop
}

// classOfRare classifies the runes outside the common blocks.
func classOfRare(r rune) class {
	switch {
	case r == 0x2028 || r == 0x2029:
		return newline
	case r == zwj || r == zwnj:
		return joiner
	case r == unicode.ReplacementChar:
		return replace
	case r == placeholder || r&0xfffe == 0xfffe || r >= 0xfdd0 && r < 0xfdf0 || r >= 0xd800 && r < 0xe000 || r < 0 ||
		r > unicode.MaxRune:
		return replace
	case isInvisible(r):
		return drop
	case unicode.Is(unicode.Cf, r):
		return drop
	case isPictograph(r):
		return emoji
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc):
		return mark
	}
	return keep
}

// isInvisible reports whether r is invisible although it is not a format control: selectors,
// fillers, skin tones (which only colour the rune before them), and blocks reserved for more of
// these.
func isInvisible(r rune) bool {
	switch {
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0x2065:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff0 && r <= 0xfff8:
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// isPictograph reports whether r may be part of a sequence of joined emoji.
func isPictograph(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff:
		return true
	case r < 0x203c || r > 0x3299:
		return false
	case r >= 0x2190 && r <= 0x21ff, r >= 0x2300 && r <= 0x23ff, r >= 0x25a0 && r <= 0x27bf,
		r >= 0x2900 && r <= 0x297f, r >= 0x2b00 && r <= 0x2bff:
		return true
	}
	return r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 || r == 0x3030 || r == 0x303d ||
		r == 0x3297 || r == 0x3299
}

// isShaping reports whether r belongs to a script whose letters change their form next to a joiner
// or non-joiner (Arabic, Syriac, Mongolian, the Indic scripts). Joiners are kept there.
func isShaping(r rune) bool {
	return r >= 0x600 && r <= 0x8ff || r >= 0x900 && r <= 0xdff || r >= 0x1820 && r <= 0x18aa
}

// isAccent reports whether r is one of the general combining marks, which belong to no script.
func isAccent(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x483 && r <= 0x489 || r >= 0x1ab0 && r <= 0x1aff ||
		r >= 0x1dc0 && r <= 0x1dff || r >= 0x20d0 && r <= 0x20ff || r >= 0xfe20 && r <= 0xfe2f
}
