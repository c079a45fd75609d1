package prompts

import (
	"slices"
	"strings"
	"unicode"
)

// maxNesting is the maximum depth of macros within macros; deeper ones are left unchanged.
const maxNesting = 32

// node is one piece of a text: literal text, or a macro from its "{{" to its "}}" with its content.
type node struct {
	pos, end int // span in the text
	macro    bool
	name     string     // lower case; "" if it has no fixed name before expansion
	argv     []argument // its arguments
	kids     []node     // the content of a macro without a name
	short    *shorthand // of {{.x}} and {{$x}}; their name is shortName
	keep     bool       // "{{#if": the content keeps its outer white space
	closing  bool       // "{{/if"
	raw      bool       // stays as it is
	closer   int        // index of the sibling that closes this macro's scope, 0 if none
}

// argument is one argument of a macro, without the white space around it.
type argument struct {
	pos, end int
	nodes    []node
}

// shorthand is a variable's name with its operator.
type shorthand struct {
	global  bool
	key, op string
}

// shortName is the name of all shorthands.
const shortName = "."

// maxArguments limits the arguments of a macro; further separators are text.
const maxArguments = 1000

// pair is a "{{" and the "}}" that belongs to it.
type pair struct{ open, close int }

// parse splits a text into nodes. It takes time linear in the text.
func parse(text string) []node {
	pairs := match(text)
	if len(pairs) == 0 {
		return []node{{pos: 0, end: len(text)}}
	}
	p := &parser{text: text, pairs: pairs}
	nodes := p.sequence(0, len(text), 0)
	scopes(nodes)
	return nodes
}

// match returns the pairs, ordered by their beginnings. In an odd run of braces the outermost is
// literal, so that "{{{user}}}" is a name in braces.
func match(text string) []pair {
	var opens []int // indices into pairs
	var pairs []pair
	for i := 0; i < len(text); {
		c := text[i]
		if c != '{' && c != '}' {
			next := strings.IndexAny(text[i:], "{}")
			if next < 0 {
				break
			}
			i += next
			continue
		}
		run := 1
		for i+run < len(text) && text[i+run] == c {
			run++
		}
		if c == '{' {
			for k := i + run%2; k < i+run; k += 2 {
				opens = append(opens, len(pairs))
				pairs = append(pairs, pair{open: k})
			}
		} else {
			for k := i; k+2 <= i+run && len(opens) > 0; k += 2 {
				pairs[opens[len(opens)-1]].close = k
				opens = opens[:len(opens)-1]
			}
		}
		i += run
	}
	kept := pairs[:0]
	for _, p := range pairs {
		if p.close > 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

type parser struct {
	text  string
	pairs []pair
	next  int // first pair not yet used
}

// sequence parses text[from:to].
func (p *parser) sequence(from, to, depth int) []node {
	var nodes []node
	at := from
	for p.next < len(p.pairs) && p.pairs[p.next].open < to {
		pr := p.pairs[p.next]
		p.next++
		if pr.open > at {
			nodes = append(nodes, node{pos: at, end: pr.open})
		}
		n := node{pos: pr.open, end: pr.close + 2, macro: true}
		if depth < maxNesting {
			p.head(&n, p.sequence(pr.open+2, pr.close, depth+1))
		} else {
			n.raw = true
			for p.next < len(p.pairs) && p.pairs[p.next].open < pr.close {
				p.next++
			}
		}
		nodes = append(nodes, n)
		at = n.end
	}
	if at < to {
		nodes = append(nodes, node{pos: at, end: to})
	}
	return nodes
}

// head parses a macro with the content kids: its flags, its name and its arguments, or a variable
// with its operator.
func (p *parser) head(n *node, kids []node) {
	first, inner := n.end-2, n.end-2 // end of the text before its first inner macro
	if len(kids) > 0 {
		if first = kids[0].end; kids[0].macro {
			first = n.pos + 2
		}
	}
	text := p.text[:first]
	at := p.flags(n, text)
	switch rest := text[at:]; {
	case strings.HasPrefix(rest, "//"):
		n.name = "//"
		if at += 2; strings.HasPrefix(trimLeft(text[at:]), "/") {
			n.closing = true
		}
		p.arguments(n, kids, at, false)
	case rest != "" && (rest[0] == '.' || rest[0] == '$'):
		p.variable(n, kids, text, at, first < inner)
	default:
		p.named(n, kids, text, at, first < inner)
	}
	if n.name == "" {
		n.kids = kids
		scopes(n.kids)
	}
}

// flags reads the marks before a macro's name and returns the position of the name. Only the marks
// "/" and "#" have an effect.
func (p *parser) flags(n *node, text string) int {
	at := n.pos + 2
	for {
		at = len(text) - len(trimLeft(text[at:]))
		if strings.HasPrefix(text[at:], "//") || at >= len(text) || strings.IndexByte("!?~>#/", text[at]) < 0 {
			return at
		}
		n.keep = n.keep || text[at] == '#'
		n.closing = n.closing || text[at] == '/'
		at++
	}
}

// named parses a macro that begins with a name.
func (p *parser) named(n *node, kids []node, text string, at int, more bool) {
	end := at + len(identifier(text[at:]))
	if strings.EqualFold(text[at:end], "time_utc") {
		for end < len(text) && strings.IndexByte("+-.0123456789", text[end]) >= 0 {
			end++
		}
	}
	if end == at || end-at > 64 || end == len(text) && more {
		return
	}
	if end < len(text) && text[end] != ':' && !isSpace(rune(text[end])) {
		return
	}
	n.name = strings.ToLower(text[at:end])
	rest := trimLeft(text[end:])
	begin := len(text) - len(rest)
	switch {
	case strings.HasPrefix(rest, "::"):
		p.arguments(n, kids, begin+2, true)
	case strings.HasPrefix(rest, ":"):
		p.arguments(n, kids, begin+1, false)
	default:
		p.arguments(n, kids, begin, false)
	}
}

// operators are the operators of a shorthand, each before those that it begins with.
var operators = []string{"++", "--", "??=", "??", "||=", "||", "-=", "==", "!=", ">=", ">", "<=", "<", "+=", "="}

// variable parses {{.name}}, {{$name}} and either with an operator and a value.
func (p *parser) variable(n *node, kids []node, text string, at int, more bool) {
	v := &shorthand{global: text[at] == '$'}
	rest := trimLeft(text[at+1:])
	v.key = strings.TrimRight(identifier(rest), "-")
	rest = trimLeft(rest[len(v.key):])
	if v.key == "" {
		return
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			v.op, rest = op, rest[len(op):]
			break
		}
	}
	if v.op == "" || v.op == "++" || v.op == "--" {
		if more || trimLeft(rest) != "" {
			return // text is not allowed here
		}
	} else {
		p.arguments(n, kids, len(text)-len(rest), false)
	}
	n.name, n.short = shortName, v
}

// identifier returns the name that s begins with: a letter, then letters, digits, "_" and "-".
func identifier(s string) string {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if letter := c >= 'a' && c <= 'z'; !letter &&
			(i == 0 || s[i] != '_' && s[i] != '-' && (s[i] < '0' || s[i] > '9')) {
			return s[:i]
		}
	}
	return s
}

// arguments splits the text from a position on into arguments, at "::" if parted is set. Each is a
// text of its own for scopes.
func (p *parser) arguments(n *node, kids []node, from int, parted bool) {
	arg := argument{pos: from}
	take := func() {
		arg.trim(p.text)
		scopes(arg.nodes)
		n.argv = append(n.argv, arg)
	}
	for _, k := range kids {
		if k.macro {
			arg.nodes = append(arg.nodes, k)
			continue
		}
		pos := max(k.pos, from)
		for pos < k.end {
			sep := -1
			if parted && len(n.argv)+1 < maxArguments {
				sep = strings.Index(p.text[pos:k.end], "::")
			}
			if sep < 0 {
				arg.nodes = append(arg.nodes, node{pos: pos, end: k.end})
				break
			}
			if sep > 0 {
				arg.nodes = append(arg.nodes, node{pos: pos, end: pos + sep})
			}
			take()
			pos += sep + 2
			arg = argument{pos: pos}
		}
	}
	take()
	if !parted && len(n.argv[0].nodes) == 0 {
		n.argv = nil
	}
}

// trim removes the white space around an argument, but not the white space that macros in it write.
func (a *argument) trim(text string) {
	a.end = a.pos
	if len(a.nodes) > 0 && !a.nodes[0].macro {
		k := &a.nodes[0]
		if k.pos = k.end - len(trimLeft(text[k.pos:k.end])); k.pos == k.end {
			a.nodes = a.nodes[1:]
		}
	}
	if last := len(a.nodes) - 1; last >= 0 && !a.nodes[last].macro {
		k := &a.nodes[last]
		if k.end = k.pos + len(strings.TrimRightFunc(text[k.pos:k.end], isSpace)); k.pos == k.end {
			a.nodes = a.nodes[:last]
		}
	}
	if len(a.nodes) > 0 {
		a.pos, a.end = a.nodes[0].pos, a.nodes[len(a.nodes)-1].end
	}
}

// isSpace reports whether SillyTavern treats r as white space, as JavaScript does.
func isSpace(r rune) bool { return unicode.IsSpace(r) && r != '\u0085' || r == '\ufeff' }

func trimLeft(s string) string { return strings.TrimLeftFunc(s, isSpace) }

// left reports whether a macro stays unchanged: its name is unknown, or it has a wrong number of
// arguments, counting its scope as one.
func (n *node) left(scoped bool) bool {
	if n.raw || n.name == "" || n.name == shortName {
		return n.name != shortName
	}
	argc := len(n.argv)
	if scoped {
		argc++
	} else if _, set := settingVerb(n.name); set && argc > 2 {
		return false // a value may hold "::"
	}
	a, known := arityOf(n.name)
	return !known || !a.fits(argc)
}

// scopes joins each macro that may hold a scope with its closing tag among the same siblings. A
// macro that cannot hold one stays unchanged, together with the closing tag that would match it,
// and so does a closing tag that matches none.
func scopes(nodes []node) {
	if !slices.ContainsFunc(nodes, func(n node) bool { return n.closing }) {
		return
	}
	s := scoping{nodes: nodes, open: map[string]int{}, plain: map[string][]int{}, gone: make([]bool, len(nodes))}
	for i := range nodes {
		switch n := &nodes[i]; {
		case !n.macro || n.name == "" || n.name == shortName:
		case n.closing:
			n.raw = !s.close(i)
		default:
			_, known := arityOf(n.name)
			if holding(n.name, len(n.argv)) {
				s.open[n.name]++
				s.stack = append(s.stack, i)
			} else if known {
				s.plain[n.name] = append(s.plain[n.name], i)
				s.stack = append(s.stack, i)
			}
		}
	}
}

// scoping is one run of scopes.
type scoping struct {
	nodes []node
	stack []int            // open macros, and possibly open ones
	open  map[string]int   // how many in stack can hold a scope, by name
	plain map[string][]int // those that cannot have a scope, the leftmost first
	gone  []bool           // no longer in stack
}

// close finds the macro that the tag nodes[i] closes.
func (s *scoping) close(i int) bool {
	name := s.nodes[i].name
	if s.open[name] == 0 {
		list := s.plain[name]
		for len(list) > 0 && s.gone[list[0]] {
			list = list[1:]
		}
		if s.plain[name] = list; len(list) > 0 {
			s.nodes[list[0]].raw = true
			s.plain[name] = list[1:]
		}
		return false
	}
	for {
		last := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		s.gone[last] = true
		n := &s.nodes[last]
		if !holding(n.name, len(n.argv)) {
			continue
		}
		s.open[n.name]--
		if n.name == name {
			n.closer = i
			return true
		}
	}
}
