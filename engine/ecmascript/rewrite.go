package ecmascript

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// Limits of nesting and, if case is ignored, of the characters in ranges, beyond which compiling
// takes too long.
const (
	maxNesting = 64
	maxSpan    = 1 << 17
)

// Normalize returns an equivalent pattern that compiles fast; fault says why there is none. If
// case is ignored, the engine tries the other cases of every character in a class, a million for
// the negated ones: \W, \S, \D and the dot. Written as negations of small classes, they take no
// time.
func Normalize(pattern string, options regexp2.RegexOptions) (out, fault string) {
	w := rewriter{ignore: options&regexp2.IgnoreCase != 0, unicode: options&regexp2.Unicode != 0,
		dot: `[^\n\r\u2028\u2029]`}
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

// negatedClasses are the classes that negate another one.
const negatedClasses = "WSD"

// escape writes an escape outside of classes.
func (w *rewriter) escape(text string) {
	if w.ignore && strings.IndexByte(negatedClasses, text[1]) >= 0 {
		w.out.WriteString(negate(text[1]))
		return
	}
	w.property(text)
	w.out.WriteString(text)
}

func negate(c byte) string { return `[^\` + string(c+'a'-'A') + `]` }

// property counts the characters of a Unicode property.
func (w *rewriter) property(text string) {
	if w.unicode && (text[1] == 'p' || text[1] == 'P') {
		w.span += maxSpan / 4
	}
}

// classEnd returns the end of the class that begins at i, or -1.
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

// class writes a class. One with \W, \S or \D beside others becomes a choice of classes.
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
		if strings.IndexByte(negatedClasses, c) >= 0 {
			both = both || strings.Contains(body, `\`+string(c+'a'-'A'))
			parts = append(parts, negate(c))
		} else {
			w.property(body[i : i+2])
			rest.WriteString(body[i : i+2])
		}
		i += 2
	}
	w.span += spanOf(body)
	if !w.ignore || len(parts) == 0 || both {
		// Together with its opposite it is every character.
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

// spanOf returns how many characters the ranges of a class have.
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

// classRune returns the character that a class begins with, -1 if it is not a single one.
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
