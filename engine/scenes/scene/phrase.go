package scene

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is what a token of a pattern stands for.
type class byte

const (
	literal class = iota
	quantity
	number
	ordinal
	span
	spans
	part
)

var classes = map[string]class{
	"{n}": quantity, "{num}": number, "{ord}": ordinal, "{unit}": span, "{units}": spans, "{part}": part,
}

type token struct {
	class    class
	words    []string // of a literal, its alternatives
	optional bool
}

// phrase is a rule whose pattern is words, ready to be compared.
type phrase struct {
	*rule
	tokens []token
	ends   bool // the clause must end after it
}

func newPhrase(r *rule) *phrase {
	p := &phrase{rule: r}
	for _, f := range strings.Fields(r.pattern) {
		if f == "$" {
			p.ends = true
			continue
		}
		t := token{optional: strings.HasSuffix(f, "?")}
		f = strings.TrimSuffix(f, "?")
		if c, ok := classes[f]; ok {
			t.class = c
		} else {
			t.words = strings.Split(f, "|")
		}
		p.tokens = append(p.tokens, t)
	}
	return p
}

// match returns how many of the words the phrase takes from the front, 0 when
// it does not stand there.
func (p *phrase) match(ws []word) int {
	at := 0
	for _, t := range p.tokens {
		n := t.take(ws[at:])
		if n > 0 && at > 0 && !ws[at].joined {
			n = 0
		}
		if n == 0 && !t.optional {
			return 0
		}
		at += n
	}
	return at
}

func (t token) take(ws []word) int {
	if len(ws) == 0 {
		return 0
	}
	switch t.class {
	case quantity:
		return countWords(ws)
	case literal:
		for _, w := range t.words {
			if w == ws[0].text {
				return 1
			}
		}
		return 0
	}
	if t.class.holds(ws[0].text) {
		return 1
	}
	return 0
}

// holds tells whether a word is of the class.
func (c class) holds(w string) bool {
	switch c {
	case number:
		return isNumeral(w)
	case quantity:
		return isDigits(w) || lexicon()[w]&quantityWord != 0
	}
	return lexicon()[w]&bits[c] != 0
}

var bits = [...]uint16{ordinal: ordinalWord, span: spanWord, spans: spansWord, part: partWord}

// maxQuantity is how many words a quantity may have: "more than a few long".
const maxQuantity = 6

func countWords(ws []word) int {
	n := 0
	for n < len(ws) && n < maxQuantity && (n == 0 || ws[n].joined) && quantity.holds(ws[n].text) {
		n++
	}
	return n
}

// phraseBook finds phrases by the word that they begin with.
type phraseBook struct {
	byWord  map[string][]*phrase
	byClass [part + 1][]*phrase
}

func newPhraseBook(rows ...[]rule) *phraseBook {
	b := &phraseBook{byWord: map[string][]*phrase{}}
	for _, list := range rows {
		for i := range list {
			p := newPhrase(&list[i])
			for _, t := range p.tokens {
				if t.class != literal {
					b.byClass[t.class] = append(b.byClass[t.class], p)
				}
				for _, w := range t.words {
					b.byWord[w] = append(b.byWord[w], p)
				}
				if !t.optional {
					break
				}
			}
		}
	}
	return b
}

// find returns the first phrase of the book that the words begin with, and how
// many of them it takes.
func (b *phraseBook) find(ws []word) (*phrase, int) {
	if len(ws) == 0 {
		return nil, 0
	}
	if p, n := firstOf(b.byWord[ws[0].text], ws); p != nil {
		return p, n
	}
	for c, list := range b.byClass {
		if len(list) > 0 && class(c).holds(ws[0].text) {
			if p, n := firstOf(list, ws); p != nil {
				return p, n
			}
		}
	}
	return nil, 0
}

func firstOf(list []*phrase, ws []word) (*phrase, int) {
	for _, p := range list {
		if n := p.match(ws); n > 0 {
			return p, n
		}
	}
	return nil, 0
}

// phraseBooks are the table's phrases by where they may stand, and what words
// any of them begins with.
type phraseBooks struct {
	headings, marks, times *phraseBook
	starts                 map[string]bool
}

var books = sync.OnceValue(func() *phraseBooks {
	b := &phraseBooks{headings: newPhraseBook(headings), marks: newPhraseBook(marks), times: newPhraseBook(timeSkips), starts: map[string]bool{}}
	for _, book := range []*phraseBook{b.headings, b.marks, b.times} {
		for w := range book.byWord {
			b.starts[w] = true
		}
	}
	for w, is := range lexicon() {
		if is&(quantityWord|ordinalWord|spanWord|spansWord) != 0 {
			b.starts[w] = true
		}
	}
	for w := range leadIns {
		b.starts[w] = true
	}
	return b
})

// mayStart is a cheap look at whether any phrase can begin s.
func mayStart(s string) bool {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if isWordRune(r) {
			break
		}
		at += size
	}
	end := wordEnd(s, at)
	var low [24]byte
	n := copy(low[:], s[at:end])
	if n < end-at {
		return false // longer than any word the table knows
	}
	for i, c := range low[:n] {
		switch {
		case 'A' <= c && c <= 'Z':
			low[i] = c + 'a' - 'A'
		case c >= utf8.RuneSelf:
			w := lowerWord(s[at:end])
			return books().starts[w]
		case '0' <= c && c <= '9':
			return true
		}
	}
	return books().starts[string(low[:n])]
}

// word is one word of a line in lower case.
type word struct {
	text       string
	start, end int  // in the line
	joined     bool // only blanks or a hyphen stand between it and the word before
}

// wordsOf splits the beginning of a line into at most limit words.
func wordsOf(line string, limit int) []word {
	ws := make([]word, 0, min(limit, 16))
	joined := true
	for at := 0; at < len(line) && len(ws) < limit; {
		r, size := utf8.DecodeRuneInString(line[at:])
		if !isWordRune(r) {
			joined = joined && (r == ' ' || r == '\t' || r == '-' || r == '\u00a0')
			at += size
			continue
		}
		end := wordEnd(line, at)
		ws = append(ws, word{text: lowerWord(line[at:end]), start: at, end: end, joined: joined})
		at, joined = end, true
	}
	return ws
}

// wordEnd is where the word that begins at start ends. An apostrophe between
// letters belongs to it.
func wordEnd(line string, start int) int {
	at := start
	for at < len(line) {
		r, size := utf8.DecodeRuneInString(line[at:])
		if isApostrophe(r) {
			next, _ := utf8.DecodeRuneInString(line[at+size:])
			if !isWordRune(next) {
				return at
			}
		} else if !isWordRune(r) {
			return at
		}
		at += size
	}
	return at
}

func lowerWord(s string) string {
	s = strings.ToLower(s)
	if strings.ContainsRune(s, '’') {
		s = strings.ReplaceAll(s, "’", "'")
	}
	return s
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

func isDigits(s string) bool {
	if s == "" || len(s) > 4 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// isNumeral tells whether a word can be the number of a chapter.
func isNumeral(w string) bool {
	return isDigits(w) || lexicon()[w]&numberWord != 0 || isRoman(w)
}

// isRoman knows the numbers up to 49, which is as many chapters as anybody
// counts in this way.
func isRoman(w string) bool {
	rest := strings.TrimLeft(w, "x")
	tens := len(w) - len(rest)
	if w == "" || tens > 3 {
		return false
	}
	if tens <= 1 && strings.HasPrefix(rest, "l") {
		rest = rest[1:]
	}
	switch rest {
	case "", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix":
		return true
	}
	return false
}
