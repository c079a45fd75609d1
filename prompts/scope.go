package prompts

import "strings"

// scope expands the macro nodes[i] together with everything up to its closing tag.
func (x *expander) scope(nodes []node, i int) {
	n := &nodes[i]
	x.work -= 16
	switch {
	case silent(n.name):
		return
	case n.name == "if":
		x.write(x.branch(n, nodes, i+1, n.closer))
		return
	}
	args := x.arguments(n)
	body := x.inner(nodes, i+1, n.closer)
	if !n.keep {
		body = dedent(body)
	}
	if n.name == "trim" {
		x.write(body)
	} else if !x.apply(n, append(args, body)) {
		x.verbatim(n)
		x.write(body)
		x.write(x.src[nodes[n.closer].pos:nodes[n.closer].end])
	}
}

// inlineIf expands {{if::condition::content}}. The content may have an {{else}}, or a further
// argument may be the text for a false condition.
func (x *expander) inlineIf(n *node) {
	if len(n.argv) == 2 {
		content := n.argv[1].nodes
		x.write(x.branch(n, content, 0, len(content)))
		return
	}
	side := n.argv[1].nodes
	if !x.truth(n) {
		side = n.argv[2].nodes
	}
	x.write(x.inner(side, 0, len(side)))
}

// branch expands the side of nodes[from:to] that the condition of n selects, and only that: the
// part before the {{else}} of this level, or the part after it.
func (x *expander) branch(n *node, nodes []node, from, to int) string {
	holds := x.truth(n)
	other, reach := to, 0
	for k := from; k < to; k++ {
		switch m := &nodes[k]; {
		case !m.macro || m.closing:
		case m.name == "else" && len(m.argv) == 0:
			other, k = k, to
		case m.closer > 0 && m.name == "if":
			k = m.closer
		default:
			reach = max(reach, m.closer)
		}
	}
	if holds {
		to = other
	} else {
		from = min(other+1, to)
	}
	if reach > other { // a scope that begins before the {{else}} and ends behind it is none
		nodes = append([]node{}, nodes[from:to]...)
		for k := range nodes {
			nodes[k].closer, nodes[k].raw = 0, false
		}
		x.work -= 64 * len(nodes)
		scopes(nodes)
		from, to = 0, len(nodes)
	}
	s := x.inner(nodes, from, to)
	if !n.keep {
		s = dedent(s)
	}
	return s
}

// truth reports whether the condition of an {{if}} holds. The bare name of a macro means its value,
// and so does the shorthand of a variable; a "!" before it negates the condition.
func (x *expander) truth(n *node) bool {
	nodes, negated := n.argv[0].nodes, false
	if len(nodes) > 0 && !nodes[0].macro && strings.HasPrefix(x.src[nodes[0].pos:nodes[0].end], "!") {
		negated = true
		nodes = append([]node{}, nodes...)
		nodes[0].pos = nodes[0].end - len(trimLeft(x.src[nodes[0].pos+1:nodes[0].end]))
	}
	return isFalse(x.condition(x.inner(nodes, 0, len(nodes)))) == negated
}

// condition returns the value of a condition.
func (x *expander) condition(cond string) string {
	if cond == "" || len(cond) > 64 {
		return cond
	}
	if sigil, key := cond[0], cond[1:]; (sigil == '.' || sigil == '$') && key != "" {
		if key == strings.TrimRight(identifier(key), "-") {
			return x.env.Vars.get(sigil == '$', key)
		}
		return cond
	}
	name := strings.ToLower(cond)
	if a, known := arityOf(name); !known || a.min > 0 || name == "//" {
		return cond
	}
	start, base, eat := len(x.out), x.base, x.eat
	x.base, x.eat = start, false
	x.call(&node{macro: true, name: name})
	value := string(x.out[start:])
	x.out, x.base, x.eat = x.out[:start], base, eat
	return value
}

// dedent removes the white space around a scope's content, and removes the indentation of its first
// non-blank line from all lines.
func dedent(s string) string {
	indent := 0
	for line := range strings.SplitSeq(s, "\n") {
		if trimText(line) != "" {
			indent = leading(line)
			break
		}
	}
	if indent == 0 {
		return trimText(s)
	}
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		if leading(line) >= indent {
			line = line[indent:]
		} else {
			line = trimLeft(line)
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return trimText(b.String())
}

// leading returns the number of blanks and tabs at the beginning of a line.
func leading(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
