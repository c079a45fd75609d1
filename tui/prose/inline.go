package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is a style of text.
type kind uint8

const (
	none kind = iota
	action
	strong
	speech
	code
	quote
	heading
	ooc
)

// maxDepth is the maximum number of markers that may be open inside each other.
const maxDepth = 6

// frame is an open marker.
type frame struct {
	kind   kind
	closer rune // the rune that closes it; '_' and '*' distinguish the two kinds of action
}

// run is a range of visible text in one style. A style is a stack of kinds, four bits each, the
// outermost lowest.
type run struct {
	from, to int
	style    uint32
}

// sgr returns the sequence of a kind.
func (l *layouter) sgr(k kind) string {
	switch k {
	case action:
		if l.narrates && l.st.Narration != "" {
			return l.st.Narration
		}
		return l.st.Action
	case strong:
		return l.st.Strong
	case speech:
		return l.st.Speech
	case code:
		return l.st.Code
	case quote:
		return l.st.Quote
	case heading:
		return l.st.Heading
	case ooc:
		return l.st.OOC
	}
	return ""
}

// hidden reports whether the markers of a kind are left out: only if its style shows the same.
func (l *layouter) hidden(k kind) bool { return l.sgr(k) != "" }

// special reports whether inline has to look at a byte at all.
func special(c byte) bool {
	switch c {
	case '*', '_', '`', '"', '(', ')', '[', ']', '\\', 0xc2, 0xe2, 0xe3:
		return true
	}
	return false
}

// inline splits a paragraph into l.runs. base is the style of the whole paragraph.
func (l *layouter) inline(text string, base kind) {
	l.runs, l.stack, l.base = l.runs[:0], l.stack[:0], base
	l.missing, l.bare = [4]bool{}, [3]int{}
	l.narrates = narrates(text)
	from := 0 // the text before it is in runs
	for i := 0; i < len(text); {
		if !special(text[i]) {
			i++
			continue
		}
		var n int
		switch text[i] {
		case '*', '_', '`':
			n = l.marker(text, i, &from)
		case '\\':
			if n = 1; strings.HasPrefix(text[i:], `\*`) {
				l.add(from, i)
				from, n = i+1, 2
			}
		case '(', '[':
			n = l.openBracket(text, i, &from)
		case ')', ']':
			n = l.closeBracket(text, i, &from)
		default:
			n = l.quoteMark(text, i, &from)
		}
		i += n
	}
	l.add(from, len(text))
}

// narrates reports whether a paragraph begins with an action: then its actions are the
// narration. That is known from its first letter on, so that a streaming text does not change.
func narrates(text string) bool {
	return len(text) > 1 && (text[0] == '*' || text[0] == '_') && text[1] != text[0] && !spaceAfter(text, 1)
}

// add appends text[from:to] in the style of the open markers.
func (l *layouter) add(from, to int) { l.addStyled(from, to, none) }

func (l *layouter) addStyled(from, to int, extra kind) {
	if from >= to {
		return
	}
	style, shift := uint32(l.base), 0
	if l.base != none {
		shift = 4
	}
	for _, f := range l.stack {
		style |= uint32(f.kind) << shift
		shift += 4
	}
	if extra != none {
		style |= uint32(extra) << shift
	}
	if n := len(l.runs); n > 0 && l.runs[n-1].to == from && l.runs[n-1].style == style {
		l.runs[n-1].to = to
		return
	}
	l.runs = append(l.runs, run{from, to, style})
}

// open returns the index of the innermost open marker of a kind in the stack, or -1. closer 0
// matches any.
func (l *layouter) open(k kind, closer rune) int {
	for i := len(l.stack) - 1; i >= 0; i-- {
		if f := l.stack[i]; f.kind == k && (closer == 0 || f.closer == closer) {
			return i
		}
	}
	return -1
}

// push opens a marker unless it is open already or too many are.
func (l *layouter) push(k kind, closer rune) {
	if l.open(k, closer) < 0 && len(l.stack) < maxDepth {
		l.stack = append(l.stack, frame{k, closer})
	}
}

// marker handles a run of asterisks, underscores or backticks. A mark with a combining accent is
// text.
func (l *layouter) marker(text string, i int, from *int) int {
	c, n := text[i], 1
	for i+n < len(text) && text[i+n] == c {
		n++
	}
	if i+n < len(text) && text[i+n] >= utf8.RuneSelf {
		if r, _ := utf8.DecodeRuneInString(text[i+n:]); unicode.IsMark(r) {
			return n
		}
	}
	switch c {
	case '*':
		l.star(text, i, n, from)
	case '_':
		l.underscore(text, i, n, from)
	default:
		return l.backtick(text, i, n, from)
	}
	return n
}

// mark adds the text before the marker text[i:i+n] of kind k, then lets change open or close it. A
// visible marker belongs to the text after it.
func (l *layouter) mark(i, n int, k kind, from *int, change func()) {
	l.add(*from, i)
	change()
	*from = i
	if l.hidden(k) {
		*from = i + n
	}
}

// star handles a run of asterisks: one is an action, two are strong, three are both. Longer runs,
// and those that can neither open nor close anything (a product, a censored word), are text.
func (l *layouter) star(text string, i, n int, from *int) {
	if n > 3 {
		return
	}
	closes := l.starCloses(text, i, n)
	k := action
	if n == 2 {
		k = strong
	}
	if closes >= 0 {
		l.mark(i, n, k, from, func() { l.stack = l.stack[:closes] })
		return
	}
	if spaceAfter(text, i+n) || wordBefore(text, i) || strings.IndexByte("),;:]}", text[i+n]) >= 0 ||
		len(l.stack)+n/2 >= maxDepth {
		return
	}
	l.mark(i, n, k, from, func() {
		if n >= 2 {
			l.push(strong, '*')
		}
		if n != 2 {
			l.push(action, '*')
		}
	})
}

// starCloses returns the index in the stack of the marker that n asterisks at i close, or -1.
func (l *layouter) starCloses(text string, i, n int) int {
	a, s := l.open(action, '*'), l.open(strong, '*')
	before, after := spaceBefore(text, i), spaceAfter(text, i+n)
	switch {
	case before && after && i > 0: // "*walks over *"
		return a
	case before:
		return -1
	case n == 1 && a >= 0:
		return a
	case n == 2 && s >= 0:
		return s
	case n == 3 && a >= 0 && s >= 0:
		return min(a, s)
	case n == 3 || after: // "*smiles.**"
		return max(a, s)
	}
	return -1
}

// underscore handles one or two underscores. They occur in names and in many emoticons, so they
// must be at the edges of words, and open only if the paragraph closes them.
func (l *layouter) underscore(text string, i, n int, from *int) {
	if n > 2 {
		return
	}
	k := action
	if n == 2 {
		k = strong
	}
	if at := l.open(k, '_'); at >= 0 {
		if underscoreCloses(text, i, n) {
			l.mark(i, n, k, from, func() { l.stack = l.stack[:at] })
		}
		return
	}
	if i > 0 && strings.IndexByte(" \n\"'([*", text[i-1]) < 0 && !strings.HasSuffix(text[:i], "“") &&
		!strings.HasSuffix(text[:i], "—") {
		return
	}
	if r, _ := utf8.DecodeRuneInString(text[i+n:]); !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
		!strings.ContainsRune("\"'“‘…*.", r) {
		return
	}
	if len(l.stack) >= maxDepth {
		return
	}
	j := max(i+n, l.bare[n])
	for j < len(text) && (text[j] != '_' || text[j-1] == '_' || !underscoreCloses(text, j, n)) {
		j++
	}
	l.bare[n] = j
	if j < len(text) {
		l.mark(i, n, k, from, func() { l.push(k, '_') })
	}
}

// underscoreCloses reports whether exactly n underscores at i are at the end of a word.
func underscoreCloses(text string, i, n int) bool {
	end := i
	for end < len(text) && text[end] == '_' {
		end++
	}
	return end-i == n && !spaceBefore(text, i) &&
		(spaceAfter(text, end) || strings.IndexByte(".,;:!?\"')]*-", text[end]) >= 0 || text[end] >= utf8.RuneSelf)
}

// backtick handles code: the closing backticks must be as many as the opening ones, within the
// paragraph.
func (l *layouter) backtick(text string, i, n int, from *int) int {
	if n > 3 || l.missing[n] {
		return n
	}
	for j := i + n; j < len(text); {
		if text[j] != '`' {
			j++
			continue
		}
		m := 1
		for j+m < len(text) && text[j+m] == '`' {
			m++
		}
		if m != n {
			j += m
			continue
		}
		l.add(*from, i)
		*from = j + n
		if !l.hidden(code) {
			l.addStyled(i, j+n, code)
			return j + n - i
		}
		in, out := i+n, j
		if out-in > 2 && text[in] == ' ' && text[out-1] == ' ' {
			in, out = in+1, out-1
		}
		l.addStyled(in, out, code)
		return j + n - i
	}
	l.missing[n] = true
	return n
}
