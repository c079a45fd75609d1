package voice

import (
	"unicode"
	"unicode/utf8"
)

// What a folded text has where its words begin and end. Phrases have them too, so that a
// plain search finds whole words.
const (
	wordBegins = 0x01
	wordEnds   = 0x02
)

// folder makes of a text what phrases are looked for in: lower case, one blank for each run
// of white space, plain quotes and dashes, without markup. It takes the text in pieces.
type folder struct {
	out []byte
	at  []int32 // for each byte of out, where in the text it comes from
	// plain is out without its marks, of places plainAt.
	plain   []byte
	plainAt []int32
	// blank: white space came that is not written yet; quote: an apostrophe that may stand
	// inside a word or after it.
	word, blank, quote bool
	quoteAt            int
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
	case r == '\'' || r == '’' || r == 'ʼ' || r == '‘':
		if f.word && !f.quote {
			f.quote, f.quoteAt = true, at
			return
		}
		f.end(at)
		f.put('\'', at)
		return
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		if f.quote {
			f.quote = false
			f.put('\'', f.quoteAt)
		}
		if !f.word {
			f.space(at)
			f.word = true
			f.write(wordBegins, at)
		}
		f.letters(unicode.ToLower(r), at)
		return
	case unicode.Is(unicode.Cf, r):
		return
	}
	f.end(at)
	if unicode.IsSpace(r) {
		f.blank = len(f.out) > 0
		return
	}
	f.other(r, at)
}

// end ends the word that is open.
func (f *folder) end(at int) {
	if !f.word {
		return
	}
	f.word = false
	if f.quote {
		f.write(wordEnds, f.quoteAt)
		f.quote = false
		f.put('\'', f.quoteAt)
		return
	}
	f.write(wordEnds, at)
}

// finish says that the text is over.
func (f *folder) finish() {
	if n := len(f.at); n > 0 {
		f.end(int(f.at[n-1]) + 1)
	}
}

func (f *folder) other(r rune, at int) {
	switch r {
	case '“', '”', '„', '«', '»', '‟':
		r = '"'
	case '–', '—', '―', '‐', '‑':
		r = '-'
	case '…':
		f.put('.', at)
		f.put('.', at)
		r = '.'
	}
	f.space(at)
	f.letters(r, at)
}

func (f *folder) put(b byte, at int) {
	f.space(at)
	f.write(b, at)
}

func (f *folder) space(at int) {
	if f.blank {
		f.blank = false
		f.write(' ', at)
	}
}

func (f *folder) letters(r rune, at int) {
	if r < utf8.RuneSelf {
		f.write(byte(r), at)
		return
	}
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], r)] {
		f.write(b, at)
	}
}

func (f *folder) write(b byte, at int) {
	f.out, f.at = append(f.out, b), append(f.at, int32(at))
	if b != wordBegins && b != wordEnds {
		f.plain, f.plainAt = append(f.plain, b), append(f.plainAt, int32(at))
	}
}
