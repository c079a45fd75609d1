package plist

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Facts are the parts of a content that stand for themselves, as they are
// written: the properties of an entry, else lines, and sentences where a line
// has several.
func Facts(content string) []string {
	s := split(content)
	out := make([]string, 0, len(s.pieces))
	for _, p := range s.pieces {
		if !p.head {
			out = append(out, p.text)
		}
	}
	return out
}

// SameFact tells whether two facts say the same in the same words: case, blanks,
// a bullet in front and a stop at the end do not count.
func SameFact(a, b string) bool { return factKey(a) == factKey(b) }

// piece is a fact, or the head of an entry, with what stands before it.
type piece struct {
	lead, text string
	head       bool
}

// splitting is a content in pieces: all leads and texts, and the tail, are the
// content byte for byte.
type splitting struct {
	list   bool // an entry of the form
	pieces []piece
	tail   string
}

func split(content string) splitting {
	if p := take(content); p.sound() {
		s := splitting{list: true, pieces: make([]piece, 0, len(p.facts)+1)}
		s.pieces = append(s.pieces, piece{lead: content[:p.typ.from], text: content[p.typ.from:p.name.to], head: true})
		last := p.name.to
		for _, f := range p.facts {
			s.pieces = append(s.pieces, piece{lead: content[last:f.from], text: p.at(f)})
			last = f.to
		}
		s.tail = content[last:]
		return s
	}
	var s splitting
	last := 0
	sentences(content, func(from, to int) {
		s.pieces = append(s.pieces, piece{lead: content[last:from], text: content[from:to]})
		last = to
	})
	s.tail = content[last:]
	return s
}

// sentences gives the sentences of each line, without the blanks around them.
func sentences(text string, yield func(from, to int)) {
	put := func(from, to int) {
		t := text[from:to]
		lead := len(t) - len(strings.TrimLeft(t, blanks))
		if t = strings.TrimSpace(t); t != "" && strings.IndexFunc(t, wordRune) >= 0 {
			yield(from+lead, from+lead+len(strings.TrimRight(text[from+lead:to], blanks)))
		}
	}
	at := 0
	for line := range strings.Lines(text) {
		end := at + len(line)
		from := at
		for from < end {
			to := sentenceEnd(text[from:end]) + from
			put(from, to)
			from = to
		}
		at = end
	}
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// sentenceEnd is where the first sentence of a line ends.
func sentenceEnd(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch r {
		case '。', '！', '？':
			return i + closers(s[i:])
		case '!', '?', '…', '.':
			j := i + closers(s[i:])
			next := strings.TrimLeft(s[j:], blanks)
			at := i
			i = j
			if next == "" || len(next) == len(s[j:]) { // the end, or no blank
				continue
			}
			if n, _ := utf8.DecodeRuneInString(next); unicode.IsLower(n) || r == '.' && abbreviated(s[:at-1]) {
				continue
			}
			return j
		}
	}
	return len(s)
}

// closers is the length of the quotation marks and brackets after a stop.
func closers(s string) int { return len(s) - len(strings.TrimLeft(s, `.!?…"”’»)]*_`)) }

var abbreviations = wordList(`dr mr mrs ms st prof sr jr no vs etc ca bzw usw nr hr fr frl sgt capt lt col gen mme mlle sra srta ud`)

// abbreviated tells whether a full stop after s ends a word and no sentence: of
// an initial, a number or a title.
func abbreviated(s string) bool {
	w := s[strings.LastIndexFunc(s, func(r rune) bool { return !wordRune(r) })+1:]
	if w == "" {
		return false
	}
	digits := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
	return utf8.RuneCountInString(w) == 1 || digits && len(w) <= 2 || abbreviations(strings.ToLower(w))
}

// factKey is what SameFact compares.
func factKey(s string) string {
	s = strings.TrimLeft(s, "-*•–—·>#"+blanks)
	s = strings.TrimRight(s, ".。,;"+blanks)
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = true
			continue
		case r == '’':
			r = '\''
		case r == '“' || r == '”' || r == '„':
			r = '"'
		case r == '（':
			r = '('
		case r == '）':
			r = ')'
		case r == '，' || r == '、' || r == '；' || r == ';':
			r = ','
		}
		if gap && r != '(' && r != ')' && r != ',' && b.Len() > 0 {
			if last := b.String()[b.Len()-1]; last != '(' && last != ',' {
				b.WriteByte(' ')
			}
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
