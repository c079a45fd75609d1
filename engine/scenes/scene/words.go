package scene

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
