package voice

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What a folded text has where its words begin and end. Phrases have them too, so that a
// plain search finds whole words.
const (
	wordBegins = 0x01
	wordEnds   = 0x02
)

// folder makes of a text what phrases are looked for in: lower case, one blank for each run
// of white space, without markup. It takes the text in pieces.
type folder struct {
	// out is for phrases: without quotes, and a dash is one whatever stands around it.
	out []byte
	at  []int32 // for each byte of out, where in the text it comes from
	// plain is for expressions: without marks, with straight quotes, of places plainAt.
	plain   []byte
	plainAt []int32
	// blank and gap: white space came that is not written yet, to plain and to out; quote: an
	// apostrophe that may stand inside a word or after it.
	word, blank, gap, quote bool
	quoteAt                 int

	last     rune // the letter that a mark may go with, 0 for none
	lastAt   int
	lastOut  int // and where it begins
	lastIn   int // the same of plain
	wide     bool
	composed bool // the last letter is another one than it was
}

// add takes the next piece of the text, which begins at byte from of it and with a rune.
func (f *folder) add(piece string, from int) {
	for i := 0; i < len(piece); {
		r, n := rune(piece[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(piece[i:])
		}
		f.rune(r, from+i)
		i += n
	}
}

func (f *folder) rune(r rune, at int) {
	switch {
	case r == '*' || r == '_' || r == '~' || r == '`':
		return
	case apostrophe(r):
		if f.word && !f.quote {
			f.quote, f.quoteAt, f.last = true, at, 0
			return
		}
		f.end(at)
		f.sign('\'', at)
		return
	case unicode.Is(unicode.Cf, r) || 0xFE00 <= r && r <= 0xFE0F:
		return
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		f.letter(r, at)
		return
	}
	f.end(at)
	if unicode.IsSpace(r) {
		f.blank, f.gap = len(f.plain) > 0, len(f.out) > 0
		return
	}
	f.other(r, at)
}

func apostrophe(r rune) bool {
	switch r {
	case '\'', '’', 'ʼ', '‘', '‛', '´', '′', '＇':
		return true
	}
	return false
}

// longDash tells whether r is a dash that is no hyphen.
func longDash(r rune) bool {
	switch r {
	case '–', '—', '―', '‒', '−':
		return true
	}
	return false
}

func (f *folder) letter(r rune, at int) {
	mark := unicode.IsMark(r)
	if mark && f.last != 0 && f.compose(r) {
		return
	}
	if f.quote {
		f.quote = false
		f.write('\'', f.quoteAt)
	}
	wide := !mark && unspaced(r)
	if f.word && (wide || f.wide && !mark) {
		f.end(at)
	}
	if !f.word {
		f.space(at)
		f.word = true
		f.out, f.at = append(f.out, wordBegins), append(f.at, int32(at))
	}
	if !mark {
		f.wide = wide
	}
	f.last, f.lastAt, f.lastOut, f.lastIn = r, at, len(f.out), len(f.plain)
	f.pair(r, at)
}

// pair writes a letter: to out with all its forms made one.
func (f *folder) pair(r rune, at int) {
	f.plain, f.plainAt = runeTo(f.plain, f.plainAt, unicode.ToLower(r), at)
	if r >= utf8.RuneSelf {
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		r = least
	}
	if r = unicode.ToLower(r); r == 'ß' {
		f.out, f.at = append(f.out, 's'), append(f.at, int32(at))
		r = 's'
	}
	f.out, f.at = runeTo(f.out, f.at, r, at)
}

// compose puts a mark to the letter before it where both are a letter of its own: the same
// accent is written in two ways.
func (f *folder) compose(mark rune) bool {
	both := norm.NFC.String(string(f.last) + string(mark))
	r, n := utf8.DecodeRuneInString(both)
	if n != len(both) {
		return false
	}
	f.out, f.at = f.out[:f.lastOut], f.at[:f.lastOut]
	f.plain, f.plainAt = f.plain[:f.lastIn], f.plainAt[:f.lastIn]
	f.pair(r, f.lastAt)
	f.last, f.composed = r, true
	return true
}

// unspaced tells whether a letter is of a script that puts no blanks between words: each of
// its letters is taken for a word.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao)
}

// end ends the word that is open.
func (f *folder) end(at int) {
	f.last = 0
	if !f.word {
		return
	}
	f.word, f.wide = false, false
	if f.quote {
		at = f.quoteAt
	}
	f.out, f.at = append(f.out, wordEnds), append(f.at, int32(at))
	if f.quote {
		f.quote = false
		f.sign('\'', at)
	}
}

// finish says that the text is over.
func (f *folder) finish() {
	if n := len(f.at); n > 0 {
		f.end(int(f.at[n-1]) + 1)
	}
}

func (f *folder) other(r rune, at int) {
	switch {
	case quoteMark(r):
		f.sign('"', at)
		return
	case r == '-' || r == '‐' || r == '‑' || longDash(r):
		if longDash(r) {
			f.sign('—', at)
		} else {
			f.sign('-', at)
		}
		f.gap = false
		if n := len(f.out); n == 0 || f.out[n-1] != '-' {
			f.out, f.at = append(f.out, '-'), append(f.at, int32(at))
		}
		return
	case r == '…':
		f.space(at)
		f.write('.', at)
		f.write('.', at)
		r = '.'
	}
	f.space(at)
	f.plain, f.plainAt = runeTo(f.plain, f.plainAt, r, at)
	f.out, f.at = runeTo(f.out, f.at, r, at)
}

func quoteMark(r rune) bool {
	switch r {
	case '"', '“', '”', '„', '«', '»', '‟', '″', '＂':
		return true
	}
	return false
}

// sign writes what phrases are not looked for with.
func (f *folder) sign(r rune, at int) {
	if f.blank {
		f.blank = false
		f.plain, f.plainAt = append(f.plain, ' '), append(f.plainAt, int32(at))
	}
	f.plain, f.plainAt = runeTo(f.plain, f.plainAt, r, at)
}

func (f *folder) space(at int) {
	if f.blank {
		f.blank = false
		f.plain, f.plainAt = append(f.plain, ' '), append(f.plainAt, int32(at))
	}
	if f.gap {
		f.gap = false
		if f.out[len(f.out)-1] != '-' {
			f.out, f.at = append(f.out, ' '), append(f.at, int32(at))
		}
	}
}

func (f *folder) write(b byte, at int) {
	f.out, f.at = append(f.out, b), append(f.at, int32(at))
	f.plain, f.plainAt = append(f.plain, b), append(f.plainAt, int32(at))
}

func runeTo(to []byte, places []int32, r rune, at int) ([]byte, []int32) {
	n := len(to)
	to = utf8.AppendRune(to, r)
	for range len(to) - n {
		places = append(places, int32(at))
	}
	return to, places
}
