package lessons

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// term is one word of a text as details are looked for.
type term struct {
	text       string // folded, without what makes a possessive of it
	start, end int    // in the text
	capital    bool   // begins with a capital letter
	initial    bool   // begins a sentence, or what may be one
	possessive bool
	is         weight
	telling    bool // may be of one story: see ofOneStory, and addMaterial, which finds it out
	stands     bool // a mark that ends a clause stands before it
}

// termsOf takes a text apart into words. Characters that cannot be seen belong to
// the word that they stand in, so that they hide no name.
func termsOf(text string) []term {
	var out []term
	initial, stands := true, false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isTermRune(r) {
			initial = initial || strings.ContainsRune(".!?:;…\n•|。！？", r)
			stands = stands || unicode.IsPunct(r) && !strings.ContainsRune("-‐‑–'’*_,", r) || r == '\n'
			at += size
			continue
		}
		end, joint := termEnd(text, at)
		t := term{start: at, end: end, capital: unicode.IsUpper(r) || unicode.IsTitle(r), initial: initial, stands: stands}
		t.text = fold(text[at:end])
		if rest, ok := strings.CutSuffix(t.text, "'s"); ok {
			t.text, t.possessive = rest, true
		}
		if t.text != "" {
			t.is = weightOf(t.text)
			out = append(out, t)
			initial, stands = false, false
		}
		at = end + joint
	}
	return out
}

// termEnd is where the word that begins at start ends, and how long the
// apostrophe is that joins it to the next: l'heure and d'Artagnan are two words,
// don't and Mara's are one.
func termEnd(text string, start int) (end, joint int) {
	letters := 0
	for at := start; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if isQuoteMark(r) {
			next, _ := utf8.DecodeRuneInString(text[at+size:])
			if !isTermRune(next) {
				return at, 0
			}
			after, _ := utf8.DecodeRuneInString(text[min(at+size+1, len(text)):])
			if letters < 2 && (next != 's' && next != 'S' || isTermRune(after)) {
				return at, size
			}
		} else if !isTermRune(r) {
			return at, 0
		}
		letters++
		at += size
	}
	return len(text), 0
}

func isTermRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Cf, r))
}

func isQuoteMark(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' || r == '`' }

var oneForm = strings.NewReplacer("’", "'", "ʼ", "'", "`", "'", "ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i")

// fold is a word in small letters, without accents and what cannot be seen, in the
// form that it is compared in.
func fold(w string) string {
	plain := true
	for i := range len(w) {
		plain = plain && w[i] < utf8.RuneSelf
	}
	w = strings.ToLower(w)
	if plain {
		return w
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, oneForm.Replace(strings.ToLower(norm.NFKD.String(w))))
}

// isDense tells whether a script is written without blanks between words.
func isDense(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// capitalsTell tells whether a capital letter in a text makes a name likely: not
// where nouns have one, nor in titles and shouting.
func capitalsTell(terms []term) bool {
	german, capitals := 0, 0
	for _, t := range terms {
		switch t.text {
		case "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "einen", "einem", "einer", "mit", "bei", "von", "dem", "den", "im", "wenn", "statt", "zu", "vor":
			german++
		}
		if t.capital {
			capitals++
		}
	}
	return german < 2 && german*8 <= len(terms) && (len(terms) < 4 || capitals*3 <= 2*len(terms))
}
