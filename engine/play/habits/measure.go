package habits

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// word is a word of a folded text.
type word struct {
	from, to int
	first    bool // first of a sentence, or after a mark that ends a phrase
}

// measured is a reply, taken apart.
type measured struct {
	Reply
	folded    string // its words in lower case, with single spaces
	words     []word
	sentences []int // lengths in words
	spoken    int   // words of speech
	ends      string
}

// span returns the words in the range [from, to).
func (m *measured) span(from, to int) string { return m.folded[m.words[from].from:m.words[to-1].to] }

// parted reports whether a mark separates words in the range [from, to).
func (m *measured) parted(from, to int) bool {
	for _, w := range m.words[from+1 : to] {
		if w.first {
			return true
		}
	}
	return false
}

// measure splits a reply into words and sentences.
func measure(r Reply) measured {
	m := measured{Reply: r, ends: endOf(r.Text, r.Cut)}
	whole := text.Truncate(r.Text, maxText)
	var folded strings.Builder
	var s speech
	read := 0
	for at, sentence := range text.Sentences(whole) {
		n := 0
		for i, w := range text.Words(sentence) {
			gap := whole[read : at+i]
			s.take(gap)
			read = at + i + len(w)
			if folded.Len() > 0 {
				folded.WriteByte(' ')
			}
			from := folded.Len()
			folded.WriteString(strings.ToLower(strings.ReplaceAll(w, "’", "'")))
			m.words = append(m.words, word{from, folded.Len(), n == 0 || strings.IndexFunc(gap, ends) >= 0})
			if n++; s.closes != 0 {
				m.spoken++
			}
		}
		m.sentences = append(m.sentences, n)
	}
	m.folded = folded.String()
	return m
}

// ends reports whether r, a rune between two words, ends a phrase.
func ends(r rune) bool {
	return !unicode.IsSpace(r) && !strings.ContainsRune("*_~`'’-", r)
}

// quotes maps opening quotation marks to closing ones.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '»': '«', '「': '」', '『': '』'}

// speech tracks whether text is spoken.
type speech struct {
	closes rune // the mark that ends the speech; 0 outside
	dashes bool // the paragraph began with a dash
	inside bool // the line has begun
}

// take processes the text between two words.
func (s *speech) take(gap string) {
	for _, r := range gap {
		switch {
		case r == '\n':
			s.closes, s.dashes, s.inside = 0, false, false
			continue
		case (r == '—' || r == '–') && (!s.inside || s.dashes):
			if s.dashes = true; s.closes != 0 {
				s.closes = 0
			} else {
				s.closes = '—'
			}
		case s.closes != 0 && (r == s.closes || s.closes == '“' && r == '”'):
			s.closes = 0
		case s.closes == 0:
			s.closes = quotes[r]
		}
		s.inside = s.inside || !unicode.IsSpace(r)
	}
	s.inside = true
}

// endOf returns the kind of a text's ending.
func endOf(s string, cut bool) string {
	s = strings.TrimSpace(s)
	bare := strings.TrimRight(s, "*_~ ")
	last, _ := utf8.DecodeLastRuneInString(bare)
	quoted := strings.ContainsRune("\"”“»«」』", last)
	mark, _ := utf8.DecodeLastRuneInString(strings.TrimRight(bare, "\"”“»«」』*_~ "))
	stopped := strings.ContainsRune(".!?…。！？)]}—", mark)
	switch {
	case cut, !stopped && !quoted && (bare == s || !strings.HasSuffix(s, "*")):
		return Cut
	case mark == '?' || mark == '？':
		return Question
	case quoted:
		return Speech
	case strings.HasSuffix(s, "*"):
		return Action
	}
	return Narration
}
