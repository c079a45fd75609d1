package ecmascript

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// A pattern may nest so deep, and where case is ignored name so many characters
// in ranges, before making it ready takes longer than anybody waits.
const (
	maxNesting = 64
	maxSpan    = 1 << 17
)

// Ready returns a pattern that means the same and is quick to make ready; fault says
// why there is none. Where case is ignored the engine tries the other cases of
// every character that a class names, a million for one that names nearly all:
// \W, \S, \D and the dot. Said as what they leave out, they take no time.
func Ready(pattern string, options regexp2.RegexOptions) (out, fault string) {
	w := rewriter{ignore: options&regexp2.IgnoreCase != 0, unicode: options&regexp2.Unicode != 0, dot: `[^\n\r\u2028\u2029]`}
	if options&regexp2.Singleline != 0 {
		w.dot = `[^]`
	}
	depth := 0
	for i := 0; i < len(pattern); {
		from := i
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i += 2
			w.escape(pattern[from:i])
			continue
		case c == '[':
			i = classEnd(pattern, i)
			if i < 0 {
				return pattern, "" // the parser will say what is wrong
			}
			w.class(pattern[from:i])
			continue
		case c == '.' && w.ignore:
			w.out.WriteString(w.dot)
			i++
			continue
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth > maxNesting {
			return "", fmt.Sprintf("the regex nests deeper than %d groups", maxNesting)
		}
		w.out.WriteByte(pattern[i])
		i++
	}
	if w.ignore && w.span > maxSpan {
		return "", "the regex ignores case over too many characters: name fewer in its ranges"
	}
	return w.out.String(), ""
}

type rewriter struct {
	out             strings.Builder
	ignore, unicode bool
	dot             string
	span            int // characters named in ranges
}

// without are the classes that are what another one is not.
const without = "WSD"

// escape writes an escape outside of classes.
func (w *rewriter) escape(text string) {
	if w.ignore && strings.IndexByte(without, text[1]) >= 0 {
		w.out.WriteString(negated(text[1]))
		return
	}
	w.property(text)
	w.out.WriteString(text)
}

func negated(c byte) string { return `[^\` + string(c+'a'-'A') + `]` }

// property counts what a Unicode property names.
func (w *rewriter) property(text string) {
	if w.unicode && (text[1] == 'p' || text[1] == 'P') {
		w.span += maxSpan / 4
	}
}

// classEnd returns where the class that begins at i ends, or -1.
func classEnd(pattern string, i int) int {
	i++
	for ; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return -1
}

// class writes a class. One that names \W, \S or \D beside others becomes a choice
// of classes.
func (w *rewriter) class(text string) {
	body, not := strings.CutPrefix(text[1:len(text)-1], "^")
	var rest strings.Builder
	var parts []string
	both := false
	for i := 0; i < len(body); {
		if body[i] != '\\' || i+1 >= len(body) {
			rest.WriteByte(body[i])
			i++
			continue
		}
		c := body[i+1]
		if strings.IndexByte(without, c) >= 0 {
			both = both || strings.Contains(body, `\`+string(c+'a'-'A'))
			parts = append(parts, negated(c))
		} else {
			w.property(body[i : i+2])
			rest.WriteString(body[i : i+2])
		}
		i += 2
	}
	w.span += spanOf(body)
	if !w.ignore || len(parts) == 0 || both {
		// With its opposite beside it, it is every character, which is no work.
		w.out.WriteString(text)
		return
	}
	if rest.Len() > 0 {
		left := rest.String()
		if left[0] == '^' {
			left = `\` + left
		}
		parts = append(parts, "["+left+"]")
	}
	choice := strings.Join(parts, "|")
	if not {
		w.out.WriteString("(?:(?!" + choice + ")[^])")
		return
	}
	w.out.WriteString("(?:" + choice + ")")
}

// spanOf returns how many characters the ranges of a class name.
func spanOf(body string) (n int) {
	last := rune(-1)
	for i := 0; i < len(body); {
		if body[i] == '-' && last >= 0 && i+1 < len(body) {
			to, size := classRune(body[i+1:])
			if to > last {
				n += int(to - last)
			}
			i += 1 + size
			last = -1
			continue
		}
		r, size := classRune(body[i:])
		last = r
		i += size
	}
	return n
}

// classRune returns the character that a class begins with, -1 for what is more than
// one.
func classRune(s string) (rune, int) {
	if s[0] != '\\' || len(s) == 1 {
		return utf8.DecodeRuneInString(s)
	}
	number := func(from, to int) (rune, int) {
		if to < from || to > len(s) {
			return -1, 2
		}
		n, err := strconv.ParseUint(s[from:to], 16, 32)
		if err != nil || n > utf8.MaxRune {
			return -1, 2
		}
		return rune(n), to
	}
	switch s[1] {
	case 'x':
		return number(2, 4)
	case 'u':
		if len(s) > 2 && s[2] == '{' {
			end := strings.IndexByte(s, '}')
			r, size := number(3, end)
			if r >= 0 {
				size++
			}
			return r, size
		}
		return number(2, 6)
	case 'w', 'W', 's', 'S', 'd', 'D', 'p', 'P', 'b':
		return -1, 2
	}
	r, size := utf8.DecodeRuneInString(s[1:])
	return r, 1 + size
}
