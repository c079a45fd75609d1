package voice

import (
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
}

// rune takes the next rune, which begins at byte at, and tells whether a sentence begins
// with it that is not the first.
func (s *scanner) rune(text []byte, r rune, at int) bool {
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
	if s.ended && !s.gap && !s.broke && closes(r) {
		s.endAt = at + utf8.RuneLen(r)
		return false
	}
	begins := s.some && (s.broke || s.ended && (s.gap || wide(s.mark)) && !unicode.IsLower(r))
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
	if strings.ContainsRune(marks, r) && !(r == '.' && abbreviated(text[s.sent:at])) {
		s.ended, s.marked, s.mark, s.endAt = true, true, r, at+utf8.RuneLen(r)
	}
	return begins
}

const marks = ".!?…‽。！？"

func wide(r rune) bool { return strings.ContainsRune("。！？", r) }

func closes(r rune) bool { return strings.ContainsRune(".!?…\"'”’“»«)]*_~`」』", r) }

// abbreviations end with a dot that ends no sentence.
var abbreviations = strings.Fields("mr mrs ms dr prof st sr jr vs etc e.g i.e no bzw z.b d.h usw ca hr fr frau nr mme mlle m sra srta ud uds dra")

// abbreviated tells whether the dot after s belongs to its last word.
func abbreviated(s []byte) bool {
	from := len(s)
	for from > 0 {
		r, n := utf8.DecodeLastRune(s[:from])
		if !unicode.IsLetter(r) && r != '.' {
			break
		}
		from -= n
	}
	word := strings.ToLower(string(s[from:]))
	if utf8.RuneCountInString(word) == 1 && from > 0 {
		return unicode.IsUpper([]rune(string(s[from:]))[0]) && word != "i"
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

// Whole tells whether a text ends where a sentence does. One that ends in markup or a quote
// does, whatever stands before it.
func Whole(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if text == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	cut, _ := LastEnd(text, 0)
	return cut == len(text) || strings.ContainsRune("*_\"”»」』)]:-—", r) && !opened(text)
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
	return at, closers(text[:at])
}

// closers are the marks that close what is open in the last paragraph of a text.
func closers(text string) string {
	para := text[strings.LastIndexByte(text, '\n')+1:]
	var open []string
	toggle := func(mark string) {
		if i := slices.Index(open, mark); i >= 0 {
			open = slices.Delete(open, i, i+1)
			return
		}
		open = append(open, mark)
	}
	for _, r := range para {
		switch r {
		case '"', '*':
			toggle(string(r))
		case '„':
			open = append(open, "“")
		case '“':
			if n := len(open); n > 0 && open[n-1] == "“" {
				open = open[:n-1]
			} else {
				open = append(open, "”")
			}
		case '”':
			if n := len(open); n > 0 && open[n-1] == "”" {
				open = open[:n-1]
			}
		case '«':
			open = append(open, "»")
		case '»':
			if n := len(open); n > 0 && open[n-1] == "»" {
				open = open[:n-1]
			}
		}
	}
	slices.Reverse(open)
	return strings.Join(open, "")
}

// opened tells whether something is open at the end of a text.
func opened(text string) bool { return closers(text) != "" }
