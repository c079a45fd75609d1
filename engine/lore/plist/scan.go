package plist

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The meaning of a piece of text.
type tokenKind int

const (
	plain tokenKind = iota
	opens
	closes
	squareOpens
	squareCloses
	separator
	colon
)

const (
	hyphens  = "-–—"
	maxHead  = 400 // bytes, that a colon is looked for in when a form is guessed
	maxMacro = 200 // bytes of a macro that is passed over as a whole
)

// token returns the kind and size in bytes of the token at i. A macro is one token of text, and so
// is a comma between two digits.
func token(s string, i int) (tokenKind, int) {
	switch c := s[i]; c {
	case '(':
		return opens, 1
	case ')':
		return closes, 1
	case '[':
		return squareOpens, 1
	case ']':
		return squareCloses, 1
	case ';':
		return separator, 1
	case ':':
		return colon, 1
	case ',':
		if i > 0 && i+1 < len(s) && isDigit(s[i-1]) && isDigit(s[i+1]) {
			return plain, 1
		}
		return separator, 1
	case '{':
		if n := macro(s[i:]); n > 0 {
			return plain, n
		}
		return plain, 1
	default:
		if c < utf8.RuneSelf {
			return plain, 1
		}
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	switch r {
	case '（':
		return opens, size
	case '）':
		return closes, size
	case '，', '、', '；':
		return separator, size
	case '：':
		return colon, size
	}
	return plain, size
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// macro returns the length of the macro that s begins with, 0 for none.
func macro(s string) int {
	if !strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "{{{") {
		return 0
	}
	end := strings.Index(s[:min(len(s), maxMacro)], "}}")
	if end < 0 || strings.Contains(s[2:end], "{{") {
		return 0
	}
	return end + 2
}

type span struct{ from, to int }

// parsed is a text taken apart.
type parsed struct {
	text      string
	typ, name span
	facts     []span // the properties that have words
	end       int    // of the closing bracket
	faults    []Problem
}

func (p *parsed) at(s span) string { return p.text[s.from:s.to] }

func (p *parsed) isValid() bool {
	for i := range p.faults {
		if p.faults[i].Kind.fatal() {
			return false
		}
	}
	return true
}

func (p *parsed) fault(kind Fault, s span, format string, args ...any) {
	if len(p.faults) < maxProblems {
		p.faults = append(p.faults, Problem{Kind: kind, At: s.from, End: s.to, Text: fmt.Sprintf(format, args...)})
	}
}

// parse parses a text as far as possible and records faults of its form. It is linear in the size
// of the text.
func parse(text string) parsed {
	p := parsed{text: text}
	whole := p.trim(span{0, len(text)})
	if whole.from == whole.to {
		p.fault(NotBracketed, whole, "the text is empty; it should be one entry in square brackets")
		return p
	}
	if text[whole.from] != '[' {
		p.fault(NotBracketed, span{whole.from, whole.from},
			"the text does not begin with “[”; it should be one entry in square brackets")
		return p
	}
	p.end = closing(text, whole.from, whole.to)
	if p.end < 0 {
		p.end = whole.to
		p.fault(NotBracketed, span{whole.to, whole.to}, "the square bracket that opens the entry is never closed")
	} else if rest := p.trim(span{p.end + 1, whole.to}); rest.from < rest.to {
		if text[rest.from] == '[' {
			p.fault(TwoEntries, rest, "a second entry follows the first; there should be only one")
		} else {
			p.fault(Outside, rest, "there is text outside the square brackets: “%s”", clip(p.at(rest)))
		}
	}
	p.parseHead(span{whole.from + 1, p.end})
	return p
}

// closing finds the bracket that closes the one at from.
func closing(s string, from, to int) int {
	depth := 0
	for i := from; i < to; {
		kind, size := token(s, i)
		switch kind {
		case squareOpens:
			depth++
		case squareCloses:
			if depth--; depth == 0 {
				return i
			}
		}
		i += size
	}
	return -1
}

func (p *parsed) parseHead(in span) {
	at := -1
	body := in.to
	for i := in.from; i < in.to && at < 0; {
		kind, size := token(p.text, i)
		if kind == colon {
			at, body = i, i+size
		}
		i += size
	}
	if at < 0 {
		p.fault(NoHead, in, "there is no colon after a type and a name; an entry begins “[type-Name: ”")
		return
	}
	head := p.trim(span{in.from, at})
	h := strings.IndexAny(p.at(head), hyphens)
	if h < 0 {
		p.fault(NoHead, head, "“%s” has no type; an entry begins “[type-Name: ”", clip(p.at(head)))
		return
	}
	_, size := utf8.DecodeRuneInString(p.text[head.from+h:])
	p.typ = p.trim(span{head.from, head.from + h})
	p.name = p.trim(span{head.from + h + size, head.to})
	switch {
	case p.typ.from == p.typ.to:
		p.fault(NoHead, head, "there is no type before the hyphen; an entry begins “[type-Name: ”")
	case p.name.from == p.name.to:
		p.fault(NoHead, head, "there is no name after the type; an entry begins “[type-Name: ”")
	case strings.ContainsAny(p.at(head), "[]"):
		p.fault(NoHead, head, "there is a square bracket in the name “%s”", clip(p.at(p.name)))
	}
	p.parseBody(span{body, in.to})
}

// parseBody finds the properties, and the faults of their parentheses.
func (p *parsed) parseBody(body span) {
	depth, deepest, opened := 0, span{}, []int{}
	for i := body.from; i < body.to; {
		kind, size := token(p.text, i)
		switch kind {
		case opens:
			depth++
			if len(opened) < maxProblems {
				opened = append(opened, i)
			}
			if depth == maxDepth+1 && deepest.to == 0 {
				deepest = span{i, i + size}
			}
		case closes:
			if depth--; depth < 0 {
				p.fault(Unbalanced, span{i, i + size}, "this closing parenthesis closes nothing")
				depth = 0
			}
			if len(opened) > depth {
				opened = opened[:depth]
			}
		}
		i += size
	}
	for _, at := range opened {
		p.fault(Unbalanced, span{at, at + 1}, "the parenthesis that opens here is never closed: “%s”",
			clip(p.text[at:body.to]))
	}
	if deepest.to != 0 {
		p.fault(TooDeep, deepest, "parentheses go deeper than two levels here: “%s”",
			clip(p.text[deepest.from:body.to]))
	}
	parts, empty := p.parts(body)
	p.facts = parts
	if len(parts) == 0 {
		p.fault(Empty, body, "the entry says nothing after its name")
		return
	}
	p.emptyParts(empty, "property")
	p.emptyDetails(parts, 1)
}

func (p *parsed) emptyParts(at []span, what string) {
	for _, s := range at {
		p.fault(Empty, s, "empty %s: nothing before or after a comma", what)
	}
}

func (p *parsed) emptyDetails(parts []span, level int) {
	for _, s := range parts {
		inner, ok := p.details(s)
		if !ok {
			continue
		}
		details, empty := p.parts(inner)
		if len(details) == 0 {
			p.fault(Empty, inner, "there is nothing in the parentheses after “%s”", clip(p.before(s, inner)))
			continue
		}
		p.emptyParts(empty, "detail")
		if level < maxDepth {
			p.emptyDetails(details, level+1)
		}
	}
}

// parts splits at commas outside parentheses and reports empty parts.
func (p *parsed) parts(in span) (parts, empty []span) {
	round, square, from := 0, 0, in.from
	cut := func(to int) {
		if s := p.trim(span{from, to}); s.from < s.to {
			parts = append(parts, s)
		} else if len(empty) < maxProblems {
			empty = append(empty, span{from, to})
		}
	}
	for i := in.from; i < in.to; {
		kind, size := token(p.text, i)
		switch kind {
		case opens:
			round++
		case closes:
			round = max(0, round-1)
		case squareOpens:
			square++
		case squareCloses:
			square = max(0, square-1)
		case separator:
			if round == 0 && square == 0 {
				cut(i)
				from = i + size
			}
		}
		i += size
	}
	cut(in.to)
	return parts, empty
}

// details returns the text in a property's parentheses if these are the only ones and at its end.
func (p *parsed) details(s span) (span, bool) {
	depth, inner := 0, span{}
	for i := s.from; i < s.to; {
		kind, size := token(p.text, i)
		switch kind {
		case opens:
			if depth++; depth == 1 {
				if inner.from != 0 {
					return span{}, false
				}
				inner.from = i + size
				if t := p.trim(span{s.from, i}); t.from == t.to {
					return span{}, false
				}
			}
		case closes:
			if depth--; depth < 0 {
				return span{}, false
			}
			if depth == 0 {
				inner.to = i
				if i+size != s.to {
					return span{}, false
				}
			}
		}
		i += size
	}
	return inner, inner.to > 0
}

// before returns the text before a property's parentheses.
func (p *parsed) before(s, inner span) string {
	_, size := utf8.DecodeLastRuneInString(p.text[:inner.from])
	return p.text[s.from : inner.from-size]
}

func (p *parsed) list() List {
	return List{
		Type: strings.ToLower(oneLine(p.at(p.typ))), Name: oneLine(p.at(p.name)),
		Properties: p.properties(p.facts, 0),
	}
}

func (p *parsed) properties(parts []span, level int) []Property {
	var out []Property
	for _, s := range parts {
		inner, ok := p.details(s)
		if !ok || level >= maxDepth {
			out = append(out, Property{Text: oneLine(p.at(s))})
			continue
		}
		details, _ := p.parts(inner)
		out = append(out, Property{Text: oneLine(p.before(s, inner)), Details: p.properties(details, level+1)})
	}
	return out
}

// trim leaves out blanks at both ends.
func (p *parsed) trim(s span) span {
	t := p.text[s.from:s.to]
	front := len(t) - len(strings.TrimLeft(t, blanks))
	t = t[front:]
	return span{s.from + front, s.from + front + len(strings.TrimRight(t, blanks))}
}

const blanks = " \t\r\n\v\f\u0085\u00a0\u2000\u2001\u2002\u2003\u2004" +
	"\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u1680\ufeff"

const clipped = 40 // characters of a text that a problem shows

func clip(s string) string {
	s = oneLine(s[:min(len(s), 8*clipped)])
	n := 0
	for i := range s {
		if n++; n > clipped {
			return s[:i] + "…"
		}
	}
	return s
}
