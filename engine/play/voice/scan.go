package voice

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner finds where sentences begin and end. A sentence ends with its mark and what closes
// after it, or with the line.
type scanner struct {
	starts []int // of sentences, the first of the text too
	sent   int   // where the sentence that is being written begins
	line   int   // and its line
	endAt  int   // where the one before it ended
	marked bool  // it ended with its mark, or what closes
	full   int   // where the last one ended that did so
	some   bool  // there is something in this sentence
	ended  bool  // its mark came
	mark   rune
	gap    bool // white space after it
	broke  bool // the line ended
	soft   bool // it is no mark where a number follows
	quote  rune // the guillemet that is open, 0 for none
}

// rune takes the next rune, which begins at byte at, and tells whether a sentence begins
// with it that is not the first.
func (s *scanner) rune(text []byte, r rune, at int) bool {
	french := s.guillemets(r)
	switch {
	case r == '\n':
		if s.some && !s.broke {
			s.broke = true
			if !s.ended {
				s.endAt = at
				last, _ := utf8.DecodeLastRune(text[:at])
				s.marked = closes(last)
			}
		}
		return false
	case unicode.IsSpace(r):
		s.gap = s.gap || s.ended
		return false
	}
	if s.ended && !s.broke && (!s.gap && closes(r) || french) {
		s.endAt, s.gap = at+utf8.RuneLen(r), false
		return false
	}
	begins := s.some && (s.broke || s.ended && (s.gap || wide(s.mark)) && !unicode.IsLower(r) && !(s.soft && unicode.IsDigit(r)))
	if begins && s.marked {
		s.full = s.endAt
	}
	if begins || !s.some {
		if begins || len(s.starts) == 0 {
			s.starts = append(s.starts, at)
		}
		if s.broke || !s.some {
			s.line = at
		}
		s.sent = at
	}
	s.some, s.ended, s.gap, s.broke = true, false, false, false
	if strings.ContainsRune(marks, r) && !(r == '.' && s.continues(text[s.sent:at])) {
		s.ended, s.marked, s.mark, s.endAt = true, true, r, at+utf8.RuneLen(r)
		s.soft = r == '.' && lastWord(text[s.sent:at]) == "no"
	}
	return begins
}

// guillemets follow the quotes that open in some languages and close in others, and tell
// whether r closes one behind a blank.
func (s *scanner) guillemets(r rune) bool {
	switch was := s.quote; {
	case r == '\n':
		s.quote = 0
	case r != '«' && r != '»':
	case was == 0:
		s.quote = r
	case was != r:
		s.quote = 0
		return r == '»'
	}
	return false
}

// continues tells whether the dot behind a part of a sentence does not end it: of an
// abbreviation, or of a number that a point of a list begins with.
func (s *scanner) continues(part []byte) bool {
	if s.sent == s.line {
		number := strings.TrimLeft(string(part), "*_#>( \t")
		if number != "" && len(number) < 4 && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return abbreviated(part) || ordinal(part)
}

// ordinal tells whether a text ends with a number whose dot is that of a German ordinal: am 3. Mai.
func ordinal(part []byte) bool {
	bare := bytes.TrimRight(part, "0123456789")
	if n := len(part) - len(bare); n < 1 || n > 2 || !bytes.HasSuffix(bare, []byte(" ")) {
		return false
	}
	before := bare[:len(bare)-1]
	switch word := lastWord(before); word {
	case "vom", "zum", "der", "den", "dem", "des":
		return true
	case "am":
		return !bytes.HasSuffix(bytes.ToLower(before), []byte("i am"))
	}
	return false
}

const marks = ".!?…‽。！？．｡؟।॥"

func wide(r rune) bool { return strings.ContainsRune("。！？．｡", r) }

func closes(r rune) bool {
	return strings.ContainsRune(".!?…\"'”’“‘»«›‹)]*_~`」』）》", r)
}

// abbreviations end with a dot that ends no sentence.
var abbreviations = strings.Fields("mr mrs ms dr prof st sr jr vs etc e.g i.e bzw z.b d.h usw ca hr fr frau nr mme mlle m sra srta ud uds dra")

// lastWord is the word that a text ends with, in small letters.
func lastWord(s []byte) string {
	from := len(s) - len(wordAt(s))
	return strings.ToLower(string(s[from:]))
}

// wordAt is the word that a text ends with, the dots in it too.
func wordAt(s []byte) []byte {
	from := len(s)
	for from > 0 {
		r, n := utf8.DecodeLastRune(s[:from])
		if !unicode.IsLetter(r) && r != '.' {
			break
		}
		from -= n
	}
	return s[from:]
}

// abbreviated tells whether the dot after s belongs to its last word.
func abbreviated(s []byte) bool {
	last := wordAt(s)
	word := strings.ToLower(string(last))
	if first, n := utf8.DecodeRune(last); n > 0 && unicode.IsUpper(first) {
		letters := strings.Split(string(last), ".")
		single := !slices.ContainsFunc(letters, func(l string) bool { return utf8.RuneCountInString(l) != 1 })
		if single && len(last) < len(s) && word != "i" || single && len(letters) > 1 {
			return true
		}
	}
	return slices.Contains(abbreviations, word)
}

// before is where the sentence before this one began.
func (s *scanner) before() int {
	if n := len(s.starts); n > 1 {
		return s.starts[n-2]
	}
	return 0
}

// startOf is where the sentence begins that byte at belongs to.
func (s *scanner) startOf(_ []byte, at int) int {
	i, ok := slices.BinarySearch(s.starts, at)
	switch {
	case ok:
		return at
	case i == 0:
		return 0
	}
	return s.starts[i-1]
}

// Whole tells whether a text ends where a sentence does. One that ends in markup, a quote or a
// picture does, whatever stands before it.
func Whole(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if text == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	cut, _ := LastEnd(text, 0)
	return cut == len(text) || (strings.ContainsRune("*_\"'”’“‘»«」』）)]:—\ufe0f\u200d", r) || unicode.Is(unicode.So, r)) && Open(text) == ""
}

// LastEnd is where the last full sentence of a text ends that ends behind byte from, and what
// closes a quote or markup that is open there. Where no sentence ends, a line does; it is from
// where there is none of these.
func LastEnd(text string, from int) (at int, closing string) {
	var s scanner
	raw := []byte(text)
	at, line := from, from
	note := func() {
		switch {
		case s.endAt <= from || strings.TrimSpace(text[from:s.endAt]) == "":
		case s.marked:
			at = s.endAt
		default:
			line = s.endAt
		}
	}
	for i, r := range text {
		if s.rune(raw, r, i) {
			note()
		}
	}
	if s.ended {
		note()
	}
	if at == from {
		at = line
	}
	return at, Open(text[:at])
}
