package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s that is used to look up names and words: without regard to case (in
// full: ß is ss, a final sigma is a sigma), to accents, to the width of letters, and to the kind of
// quotation mark, apostrophe, dash and space. Invisible characters are left out. Fold(Fold(s)) is
// Fold(s).
//
// Accents are the marks on Latin, Greek and Cyrillic letters and the points of Hebrew and
// Arabic. The breve of й and ў stays, and so do all marks of other scripts, such as the vowel
// signs of Thai and Hindi and the voicing of kana: there they make other words. Letters that
// Unicode does not take apart follow custom: ø is o, ł is l, æ is ae. A dotless ı is an i, since
// in Turkish the capital letter I is both.
func Fold(s string) string { return fold(s, false) }

// fold is Fold, or Fold with the accents kept.
func fold(s string, accents bool) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' || c == '`' {
			return foldFrom(s, i, accents)
		}
	}
	return s
}

// foldFrom folds s. Nothing before byte i needs a change.
func foldFrom(s string, i int, accents bool) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for _, r := range s[i:] {
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r) + 'a' - 'A')
		case r < utf8.RuneSelf && r != '`':
			b.WriteByte(byte(r))
		default:
			v, ok := single(r, accents)
			if !ok {
				return foldAny(s, accents)
			}
			b.WriteString(v)
		}
	}
	return b.String()
}

// alphabets are the characters below U+0530: Latin, Greek and Cyrillic.
const alphabets = 0x530

// folded are the letters of the alphabets in their compared form, accented the same with accents.
// Both are computed on first use.
var folded, accented = sync.OnceValue(func() *[alphabets]string { return foldEach(false) }),
	sync.OnceValue(func() *[alphabets]string { return foldEach(true) })

func foldEach(accents bool) *[alphabets]string {
	var table [alphabets]string
	for r := range table {
		table[r] = foldAny(string(rune(r)), accents)
	}
	return &table
}

// single returns the compared form of r if no mark follows, and false for marks and for characters
// without a fast path.
func single(r rune, accents bool) (string, bool) {
	if v, ok := variant(r); ok {
		return v, true
	}
	switch {
	case r >= '\u0300' && unicode.Is(unicode.Mn, r):
		return "", false
	case r < alphabets && accents:
		return accented()[r], true
	case r < alphabets:
		return folded()[r], true
	}
	return string(r), r >= 0x4e00 && r <= 0x9fff // Chinese has neither case nor marks
}

// variant returns the form of a typographic sign for comparison, and whether it has one.
func variant(r rune) (string, bool) {
	switch r {
	case '’', '‘', '‚', '‛', '`', '´', 'ʼ', '′', '‹', '›':
		return "'", true
	case '“', '”', '„', '‟', '″', '«', '»':
		return `"`, true
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return "-", true
	case '…':
		return "...", true
	case '\u00a0', '\u2009', '\u200a', '\u202f', '\u3000':
		return " ", true
	case '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad':
		return "", true
	}
	return "", false
}

// foldAny folds any text.
func foldAny(s string, accents bool) string {
	s = norm.NFKD.String(strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "´", "'"))
	var b strings.Builder
	b.Grow(len(s))
	base := rune(0) // the last character that is kept and no mark
	for _, r := range s {
		if unicode.Is(unicode.Mn, r) {
			if accents && !unicode.Is(unicode.Variation_Selector, r) || !isAccent(base, r) {
				b.WriteRune(r)
				if r == '\u0345' { // the only mark that becomes a letter, an iota
					base = 'ι'
				}
			}
			continue
		}
		v, ok := variant(r)
		if ok && v == "" || !ok && unicode.Is(unicode.Cf, r) {
			continue
		}
		base = r
		switch {
		case ok:
			b.WriteString(v)
		case !accents && letter(r) != "":
			b.WriteString(letter(r))
		case unicode.Is(unicode.Cherokee, r):
			b.WriteRune(unicode.ToUpper(r)) // the library turns each case into the other
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(cases.Fold().String(b.String()))
}

// isAccent reports whether a mark leaves a character the same letter.
func isAccent(base, mark rune) bool {
	switch {
	case unicode.Is(unicode.Variation_Selector, mark):
		return true
	case unicode.In(base, unicode.Latin, unicode.Greek, unicode.Hebrew, unicode.Arabic):
		return true
	}
	return unicode.Is(unicode.Cyrillic, base) && mark != '\u0306'
}

// letter returns the compared form of a letter that Unicode does not decompose, "" for the others.
func letter(r rune) string {
	switch r {
	case 'ı':
		return "i"
	case 'æ', 'Æ':
		return "ae"
	case 'œ', 'Œ':
		return "oe"
	case 'ø', 'Ø':
		return "o"
	case 'ł', 'Ł':
		return "l"
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d"
	case 'þ', 'Þ':
		return "th"
	case 'ħ', 'Ħ':
		return "h"
	}
	return ""
}
