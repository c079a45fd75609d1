package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteMark handles a quotation mark, or any other rune that begins with the same byte. The marks
// belong to the speech. Only one speech is open at a time: other marks inside it are text.
func (l *layouter) quoteMark(text string, i int, from *int) int {
	r, n := utf8.DecodeRuneInString(text[i:])
	at := l.open(speech, 0)
	if at >= 0 {
		if r == '"' && i > 0 && text[i-1] == '\n' {
			l.say(i, at, '"', from) // a line that begins with a mark begins speech: the one before was left open
		} else if closesSpeech(l.stack[at].closer, r) {
			l.add(*from, i+n)
			*from = i + n
			l.stack = l.stack[:at]
		}
		return n
	}
	if closer := speechCloser(text, i, n, r); closer != 0 && len(l.stack) < maxDepth {
		l.say(i, len(l.stack), closer, from)
	}
	return n
}

// say opens speech at i on top of the first keep markers.
func (l *layouter) say(i, keep int, closer rune, from *int) {
	l.add(*from, i)
	*from = i
	l.stack = append(l.stack[:keep], frame{speech, closer})
}

// speechCloser returns the mark that closes the speech opened by the mark r at i, or 0 if it opens
// none. Apostrophes and single quotes never do, because they have too many other uses.
func speechCloser(text string, i, n int, r rune) rune {
	switch r {
	case '"':
		if wordBefore(text, i) || spaceAfter(text, i+n) {
			return 0
		}
		return '"'
	case '“':
		return '”'
	case '„':
		return '“'
	case '«':
		return '»'
	case '»':
		if wordBefore(text, i) || spaceAfter(text, i+n) {
			return 0
		}
		return '«'
	case '「':
		return '」'
	case '『':
		return '』'
	}
	return 0
}

// closesSpeech reports whether r closes speech that waits for closer. Writers mix straight and curly marks.
func closesSpeech(closer, r rune) bool {
	switch closer {
	case '"':
		return r == '"' || r == '”'
	case '”':
		return r == '”' || r == '"'
	case '“':
		return r == '“' || r == '”'
	}
	return r == closer
}

// openBracket handles the beginning of an aside: "((", "(OOC", "[OOC".
func (l *layouter) openBracket(text string, i int, from *int) int {
	if wordBefore(text, i) || l.open(ooc, 0) >= 0 || len(l.stack) >= maxDepth {
		return 1
	}
	rest := text[i:]
	n, closer := 4, rune(')')
	switch {
	case strings.HasPrefix(rest, "(("):
		n, closer = 2, '('
	case len(rest) > 4 && strings.EqualFold(rest[1:4], "ooc") && !unicode.IsLetter(rune(rest[4])):
		if rest[0] == '[' {
			closer = ']'
		}
	default:
		return 1
	}
	l.add(*from, i)
	*from = i
	l.push(ooc, closer)
	return n
}

// closeBracket handles the end of an aside; the brackets belong to it.
func (l *layouter) closeBracket(text string, i int, from *int) int {
	at := l.open(ooc, 0)
	if at < 0 {
		return 1
	}
	n := 1
	switch closer := l.stack[at].closer; {
	case closer == '(':
		// The first of three brackets closes something inside.
		if !strings.HasPrefix(text[i:], "))") || strings.HasPrefix(text[i:], ")))") {
			return 1
		}
		n = 2
	case closer != rune(text[i]):
		return 1
	}
	l.add(*from, i+n)
	*from = i + n
	l.stack = l.stack[:at]
	return n
}

func spaceBefore(text string, i int) bool {
	return i == 0 || text[i-1] == ' ' || text[i-1] == '\n'
}

func spaceAfter(text string, i int) bool {
	return i >= len(text) || text[i] == ' ' || text[i] == '\n'
}

// wordBefore reports whether a letter or digit is right before i. Scripts without spaces between
// words do not count.
func wordBefore(text string, i int) bool {
	if i == 0 {
		return false
	}
	if c := text[i-1]; c < utf8.RuneSelf {
		return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return r < 0x2e80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
