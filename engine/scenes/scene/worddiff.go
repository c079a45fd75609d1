package scene

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWords is the maximum number of pieces of either text that are compared word by word.
const maxWords = 20_000

// DiffWords compares two texts word by word. The pieces that are not '+' make up the old text,
// those that are not '-' the new one, byte for byte. If the texts have almost nothing in common,
// each is one piece.
func DiffWords(a, b string) []DiffLine {
	old, next := pieces(a), pieces(b)
	if len(old) > maxWords || len(next) > maxWords || strings.Contains(a+b, "\x00") {
		return replaced(a, b)
	}
	// Each piece is a line, with another sign for its own ends of lines.
	lines := func(list []string) string {
		var b strings.Builder
		for _, p := range list {
			b.WriteString(strings.ReplaceAll(p, "\n", "\x00") + "\n")
		}
		return b.String()
	}
	alike := 0
	var out []DiffLine
	add := func(op DiffOp, lines string) {
		if op == ' ' {
			alike += wordsIn(strings.Split(lines, "\n"))
		}
		if text := strings.NewReplacer("\n", "", "\x00", "\n").Replace(lines); text != "" {
			out = append(out, DiffLine{op, text})
		}
	}
	eachEdit(lines(old), lines(next), add)
	if len(out) > 4 && 4*alike < min(wordsIn(old), wordsIn(next)) {
		return replaced(a, b)
	}
	return out
}

// wordsIn returns the number of pieces that are words.
func wordsIn(list []string) (n int) {
	for _, p := range list {
		if r, _ := utf8.DecodeRuneInString(p); unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

func replaced(a, b string) (out []DiffLine) {
	if a != "" {
		out = append(out, DiffLine{'-', a})
	}
	if b != "" {
		out = append(out, DiffLine{'+', b})
	}
	return out
}

// pieces returns the words of a text, each with the space behind it, and the signs between them.
func pieces(text string) (out []string) {
	for len(text) > 0 {
		n := 0
		for n < len(text) {
			r, size := utf8.DecodeRuneInString(text[n:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '’' &&
				r != '\u200d' {
				if n == 0 {
					n = size
				}
				break
			}
			n += size
		}
		for n < len(text) && text[n] == ' ' {
			n++
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}
