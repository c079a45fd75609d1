package habits

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a folded text.
type token struct {
	from, to int32
	hash     uint64
	first    bool // of a sentence, or behind a mark at which a phrase ends
	sentence bool // first of a sentence
	speech   bool
}

// measured is a reply, taken apart.
type measured struct {
	Reply
	folded    string // its words, folded, with single spaces
	tokens    []token
	threes    []uint64 // hashes of three words in a row, each once
	sentences []int    // lengths in words
	spoken    int      // words of speech
	ends      string
}

func (m *measured) word(i int) string { return m.folded[m.tokens[i].from:m.tokens[i].to] }

// span is the words from one to before another.
func (m *measured) span(from, to int) string {
	return m.folded[m.tokens[from].from:m.tokens[to-1].to]
}

// How replies end, in names of ours.
const (
	asSpeech    = "speech"
	asAction    = "action"
	asNarration = "narration"
	asQuestion  = "question"
	asCut       = "cut"
)

// measure takes a reply apart. Its cost is that of the reply.
func measure(r Reply) *measured {
	m := &measured{Reply: r}
	text := r.Text
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "")
	}
	s := scanner{m: m, fresh: true}
	s.folded.Grow(len(text))
	for _, c := range text {
		s.take(c)
	}
	s.endWord()
	m.folded = s.folded.String()
	m.ends = ends(r.Text, r.Cut)
	for i, t := range m.tokens {
		if t.sentence || len(m.sentences) == 0 {
			m.sentences = append(m.sentences, 0)
		}
		m.sentences[len(m.sentences)-1]++
		if t.speech {
			m.spoken++
		}
		if i >= 2 && !t.first && !m.tokens[i-1].first {
			m.threes = append(m.threes, m.gram(i-2, 3))
		}
	}
	slices.Sort(m.threes)
	m.threes = slices.Compact(m.threes)
	return m
}

// gram is the hash of so many words from one on.
func (m *measured) gram(from, n int) uint64 {
	h := uint64(n)
	for _, t := range m.tokens[from : from+n] {
		h = (h ^ t.hash) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// scanner reads a text once, letter by letter.
type scanner struct {
	m        *measured
	folded   strings.Builder
	word     strings.Builder
	pending  string // an apostrophe or hyphen that may stand within a word
	fresh    bool   // a sentence begins
	broken   bool   // a phrase ends here
	closes   rune   // the mark that ends the speech; 0 outside
	dashes   bool   // the speech began with a dash
	lineHead bool
	began    bool
}

// quotes are what begins speech, and what ends it.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '»': '«', '「': '」', '『': '』'}

func (s *scanner) take(c rune) {
	head := s.lineHead || !s.began
	if !unicode.IsSpace(c) {
		s.lineHead, s.began = false, true
	}
	switch {
	case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
		if s.pending != "" {
			s.word.WriteString(s.pending)
			s.pending = ""
		}
		s.word.WriteRune(unicode.ToLower(c))
		return
	case (c == '\'' || c == '’' || c == '-') && s.word.Len() > 0 && s.pending == "":
		s.pending = string(c)
		if c == '’' {
			s.pending = "'"
		}
		return
	case c == '*' || c == '_' || c == '~':
		s.endWord() // markup
		return
	}
	s.endWord()
	switch {
	case c == '\n':
		if s.lineHead || s.dashes { // a paragraph ends; else the line alone
			s.fresh, s.closes, s.dashes = true, 0, false
		}
		s.lineHead = true
	case (c == '—' || c == '–') && (head || s.dashes):
		if s.broken = true; head {
			s.closes, s.dashes = '—', true
		} else if s.closes != 0 {
			s.closes = 0
		} else {
			s.closes = '—'
		}
	case s.closes != 0 && (c == s.closes || s.closes == '“' && c == '”'):
		s.closes, s.broken = 0, true
	case s.closes == 0 && quotes[c] != 0:
		s.closes, s.broken = quotes[c], true
	case strings.ContainsRune(".!?…。！？", c):
		s.fresh = true
	case !unicode.IsSpace(c):
		s.broken = true // a comma and the like
	}
}

func (s *scanner) endWord() {
	s.pending = ""
	if s.word.Len() == 0 {
		return
	}
	if s.folded.Len() > 0 {
		s.folded.WriteByte(' ')
	}
	from := s.folded.Len()
	word := s.word.String()
	s.word.Reset()
	s.folded.WriteString(word)
	s.m.tokens = append(s.m.tokens, token{int32(from), int32(s.folded.Len()), hashOf(word), s.fresh || s.broken, s.fresh, s.closes != 0})
	s.fresh, s.broken = false, false
}

// hashOf is FNV-1a.
func hashOf(word string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 0x100000001b3
	}
	return h
}

// ends tells what a text ends with.
func ends(text string, cut bool) string {
	text = strings.TrimSpace(text)
	bare := strings.TrimRight(text, "*_~ ")
	last, _ := utf8.DecodeLastRuneInString(bare)
	quoted := strings.ContainsRune("\"”“»«」』", last)
	inner := strings.TrimRight(bare, "\"”“»«」』*_~ ")
	mark, _ := utf8.DecodeLastRuneInString(inner)
	stopped := strings.ContainsRune(".!?…。！？)]}—", mark)
	switch {
	case cut, !stopped && !quoted && (bare == text || !strings.HasSuffix(text, "*")):
		return asCut
	case mark == '?' || mark == '？':
		return asQuestion
	case quoted:
		return asSpeech
	case strings.HasSuffix(text, "*"):
		return asAction
	}
	return asNarration
}
