package prompts

import "strings"

// maxNesting is how deep macros may stand within macros; what lies deeper is
// left as it is.
const maxNesting = 32

// node is one piece of a text: literal text, or a macro from its "{{" to its
// "}}" with the pieces between them.
type node struct {
	pos, end int // span in the text
	macro    bool
	kids     []node // a macro's content
	name     string // a macro's name in lower case, "" if it is not known before expansion
	args     int    // where a macro's arguments begin
	given    bool   // whether anything stands where arguments would
	keep     bool   // "{{#if": the content keeps its outer white space
	closer   int    // index of the sibling that closes this macro's scope, 0 if none
}

// pair is a "{{" and the "}}" that belongs to it.
type pair struct{ open, close int }

// parse cuts a text into pieces. It takes time linear in the text.
func parse(text string) []node {
	pairs := match(text)
	if len(pairs) == 0 {
		return []node{{pos: 0, end: len(text)}}
	}
	p := &parser{text: text, pairs: pairs}
	return p.sequence(0, len(text), 0)
}

// match finds the pairs, ordered by where they open. Of an odd run of braces
// the outermost is literal, so that "{{{user}}}" is a name in braces.
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
		if depth >= maxNesting {
			continue // too deep: stays literal
		}
		if pr.open > at {
			nodes = append(nodes, node{pos: at, end: pr.open})
		}
		n := node{pos: pr.open, end: pr.close + 2, macro: true}
		n.kids = p.sequence(pr.open+2, pr.close, depth+1)
		p.head(&n)
		nodes = append(nodes, n)
		at = n.end
	}
	if at < to {
		nodes = append(nodes, node{pos: at, end: to})
	}
	scopes(nodes)
	return nodes
}

// head reads a macro's name and finds its arguments.
func (p *parser) head(n *node) {
	first, inner := n.end-2, n.end-2
	if len(n.kids) > 0 {
		first = n.kids[0].end
		if n.kids[0].macro {
			return
		}
	}
	text := p.text[n.pos+2 : first]
	start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if rest := text[start:]; strings.HasPrefix(rest, "//") && rest != "///" {
		n.name, n.args, n.given = "//", n.pos+2+start+2, rest != "//" || first < inner
		return
	}
	if strings.HasPrefix(text[start:], "#") {
		start++
		n.keep = true
	}
	stop := strings.IndexAny(text[start:], ": \t\r\n")
	if stop < 0 {
		if first < inner {
			return // the name runs into a macro
		}
		stop = len(text) - start
	}
	name := text[start : start+stop]
	if name == "" || len(name) > 64 {
		return
	}
	n.name = strings.ToLower(name)
	rest := text[start+stop:]
	args := strings.TrimLeft(rest, " \t\r\n")
	switch {
	case strings.HasPrefix(args, "::"):
		args, n.given = args[2:], true
	case strings.HasPrefix(args, ":"):
		args, n.given = args[1:], true
	default:
		n.given = args != "" || first < inner
	}
	n.args = first - len(args)
}

// scopes joins each macro that may hold a scope with its {{/name}} among the
// same siblings.
func scopes(nodes []node) {
	var open []int
	var count map[string]int
	for i := range nodes {
		n := &nodes[i]
		if !n.macro || n.name == "" {
			continue
		}
		if name, ok := strings.CutPrefix(n.name, "/"); ok && n.name != "//" {
			if count[name] == 0 {
				continue
			}
			for {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				count[nodes[last].name]--
				if nodes[last].name == name {
					nodes[last].closer = i
					break
				}
			}
			continue
		}
		if scopable(n.name) {
			if count == nil {
				count = map[string]int{}
			}
			open = append(open, i)
			count[n.name]++
		}
	}
}

func scopable(name string) bool {
	switch name {
	case "if", "trim", "//", "comment", "hidden_key", "noop", "reverse", "setvar", "addvar", "setglobalvar", "addglobalvar":
		return true
	}
	return false
}
