package scene

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// mostWords is how many pieces of either text are compared word by word.
const mostWords = 20_000

// DiffWords compares two texts word by word. The pieces that are not '+' are the old
// text, those that are not '-' the new one, byte for byte. Where nearly nothing is alike,
// one text stands for the other as a whole: words strewn over both tell nobody anything.
func DiffWords(a, b string) []DiffLine {
	old, next := pieces(a), pieces(b)
	if len(old) > mostWords || len(next) > mostWords {
		return replaced(a, b)
	}
	number := map[string]string{}
	lines := func(list []string) (text string, ends []int) {
		var out strings.Builder
		for _, p := range list {
			n, ok := number[p]
			if !ok {
				n = strconv.Itoa(len(number)) + "\n"
				number[p] = n
			}
			out.WriteString(n)
			ends = append(ends, out.Len())
		}
		return out.String(), ends
	}
	x, ends := lines(old)
	y, _ := lines(next)
	var out []DiffLine
	add := func(op DiffOp, list []string) {
		if text := strings.Join(list, ""); text != "" {
			out = append(out, DiffLine{op, text})
		}
	}
	at, to := 0, 0 // pieces of old and of next that were told
	index := func(bytes int) (n int) {
		for n = at; n < len(ends) && ends[n] <= bytes; n++ {
		}
		return n
	}
	alike := 0
	for _, e := range udiff.Lines(x, y) {
		from := index(e.Start)
		same := old[at:from]
		add(' ', same)
		alike += wordsIn(same)
		at, to = from, to+from-at
		till, more := index(e.End), strings.Count(e.New, "\n")
		add('-', old[at:till])
		add('+', next[to:to+more])
		at, to = till, to+more
	}
	add(' ', old[at:])
	alike += wordsIn(old[at:])
	if len(out) > 4 && 4*alike < min(wordsIn(old), wordsIn(next)) {
		return replaced(a, b)
	}
	return out
}

// wordsIn is how many of the pieces are words.
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

// pieces are the words of a text, each with the space behind it, and the signs between
// them.
func pieces(text string) (out []string) {
	for len(text) > 0 {
		n := 0
		for n < len(text) {
			r, size := utf8.DecodeRuneInString(text[n:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '’' && r != '\u200d' {
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
