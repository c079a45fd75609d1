package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the gate: words of a sentence that are looked at together, how far
// what is asked for may stand behind the asking, and what is given back.
const (
	mostTokens   = 160
	reach        = 25 // tokens
	mostAsking   = 4  // sentences
	longestShown = 300
)

// Gate looks for sentences that may ask for a picture or a video, by words alone:
// English, German, French, Spanish, Portuguese, Italian, Russian, Japanese, Chinese and
// Korean. It returns the last of them as they stand
// in the text, at most 4 of 300 letters, oldest first, and nil for nearly
// everything that asks for none. It lets through what is only like a request. It
// is linear in the length of the text.
//
// What stands between asterisks is narration and asks for nothing, unless it is a
// word or two that are stressed.
func Gate(text string) []string {
	g := gate{text: text, words: classes()}
	g.scan()
	for _, s := range denseAsks(text) {
		g.keep(s, 0)
	}
	return g.found
}

// gateWord is one word of a sentence.
type gateWord struct {
	class
	at     int32 // where it begins in the text
	clause bool  // something new begins with it
	head   bool  // the sentence, or somebody's speech
}

type gate struct {
	text  string
	words map[string]class
	found []string

	list [mostTokens]gateWord
	n    int
	// nouns and nots are, by token, where the next picture and the next denial
	// stand, n where none does.
	nouns, nots [mostTokens + 1]int16
	polite      bool

	begin        int  // of the sentence, in the text
	clause, head bool // of the next token
	noStar       int  // before this no asterisk closes
}

func (g *gate) scan() {
	g.clause, g.head = true, true
	for i := 0; i < len(g.text); {
		r, size := utf8.DecodeRuneInString(g.text[i:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			i = g.word(i)
			continue
		case r == '\n' || r == '!' || r == '?' || r == '.' && !g.dots(i):
			g.end(i+size, r == '?')
		case r == '*':
			i = g.star(i)
			continue
		case strings.ContainsRune("\"“”„«»¿¡()[]:", r):
			g.clause, g.head = true, true
		case strings.ContainsRune(",;…–—.", r), r == '-' && g.spaced(i):
			g.clause = true
			g.head = g.head || g.n > 0 && g.list[g.n-1].head && g.list[g.n-1].class&isOpen != 0
		}
		i += size
	}
	g.end(len(g.text), false)
}

// dots tells whether a full stop is one of several, which end no sentence.
func (g *gate) dots(i int) bool {
	return i > 0 && g.text[i-1] == '.' || i+1 < len(g.text) && g.text[i+1] == '.'
}

// spaced tells a dash from a hyphen.
func (g *gate) spaced(i int) bool { return i > 0 && g.text[i-1] == ' ' }

// star reads an asterisk and, where it begins narration, all of that. It returns
// where to go on.
func (g *gate) star(i int) int {
	g.clause, g.head = true, true
	next := i + 1
	for next < len(g.text) && g.text[next] == '*' {
		next++
	}
	if next-i > 1 || next >= len(g.text) || next <= g.noStar {
		return next
	}
	line := g.text[next:]
	stop := strings.IndexAny(line, "*\n")
	if stop < 0 {
		stop = len(line)
	}
	if stop == len(line) || line[stop] == '\n' {
		g.noStar = next + stop
		return next
	}
	if stressed := strings.Count(strings.TrimSpace(line[:stop]), " ") < 2; stressed {
		g.clause, g.head = g.n == 0, g.n == 0
		g.noStar = next + stop + 1 // it closes what is read now
		return next
	}
	return next + stop + 1
}

// word reads a word and returns where it ends.
func (g *gate) word(i int) int {
	var buf [longestWord]byte
	n, known, at := 0, true, i
	for i < len(g.text) {
		r, size := utf8.DecodeRuneInString(g.text[i:])
		if r == '\'' || r == '’' {
			if !contracts(g.text[i+size:]) {
				break
			}
			i += size
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		i += size
		if unicode.IsMark(r) {
			continue
		}
		s := fold(r)
		if known = known && s != "" && n+len(s) <= len(buf); known {
			n += copy(buf[n:], s)
		}
	}
	c := class(0)
	if known {
		c = g.words[string(buf[:n])]
	}
	g.add(c, at)
	return i
}

// contracts tells whether what follows an apostrophe belongs to the word before
// it, as in English: don't, I'd, you'll.
func contracts(s string) bool {
	for _, end := range []string{"t", "s", "d", "m", "ll", "re", "ve"} {
		rest, ok := strings.CutPrefix(s, end)
		if !ok {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLetter(r) {
			return true
		}
	}
	return false
}

func (g *gate) add(c class, at int) {
	if g.n == mostTokens {
		g.end(at, false)
		g.clause, g.head = false, false
	}
	if g.n == 0 && !g.clause {
		g.begin = at
	}
	t := gateWord{class: c, at: int32(at), clause: g.clause, head: g.head} //nolint:gosec // a message is far shorter
	if g.n > 0 && g.list[g.n-1].class&isOpen != 0 {
		t.clause = true
		t.head = t.head || g.list[g.n-1].head
	}
	g.list[g.n] = t
	g.n++
	g.clause, g.head = false, false
}

// end judges the sentence that ends at to, and begins the next.
func (g *gate) end(to int, question bool) {
	if at := g.asks(question); at >= 0 && !g.reported(at) {
		g.keep(g.text[g.begin:to], int(g.list[at].at)-g.begin)
	}
	g.n, g.begin, g.clause, g.head, g.polite = 0, to, true, true, false
}

// keep adds a sentence that asks. Of a long one it keeps what follows the asking.
func (g *gate) keep(sentence string, at int) {
	if utf8.RuneCountInString(sentence) > longestShown {
		sentence = sentence[max(0, at):]
		n := 0
		for i := range sentence {
			if n++; n > longestShown {
				sentence = sentence[:i]
				break
			}
		}
	}
	sentence = strings.TrimSpace(strings.ToValidUTF8(sentence, ""))
	if sentence == "" {
		return
	}
	if len(g.found) == mostAsking {
		g.found = append(g.found[:0], g.found[1:]...)
	}
	g.found = append(g.found, sentence)
}
