package prompts

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of one Expand: the size of the result (or of the text, if that is larger) and the bytes
// written in total.
const (
	maxOutput = 1 << 20
	maxWork   = 16 << 20
)

// Expand replaces the macros of SillyTavern in text by their values in env. Names are
// matched without regard to case; an unknown macro stays as it is, with the macros inside it
// replaced. Text without macros is returned unchanged. The same text and env give the same result;
// only env.Vars keeps state. volatile names the macros in the text whose value changes by itself
// from one prompt to the next, each once, in their order.
//
// Expand limits depth, size and time for any text: beyond these limits the result is cut.
func Expand(text string, env Env) (expanded string, volatile []string) {
	if !env.holds(text) {
		return text, nil
	}
	if env.Vars == nil {
		env.Vars = NewVars()
	}
	x := &expander{env: &env, limit: max(maxOutput, len(text)), work: maxWork + (maxNesting+2)*len(text)}
	x.text(text, env.Place)
	return string(x.out), x.volatile
}

// Volatile names the macros in text, at any depth, whose value changes by itself. It expands
// nothing.
func Volatile(text string) []string {
	var found []string
	var walk func([]node)
	walk = func(nodes []node) {
		for i := range nodes {
			n := &nodes[i]
			if name := volatileName(n.name); name != "" && !slices.Contains(found, name) {
				found = append(found, name)
			}
			if n.name == "if" && len(n.argv) > 0 { // the bare name of a macro means its value
				if name := volatileName(strings.ToLower(text[n.argv[0].pos:n.argv[0].end])); name != "" &&
					!slices.Contains(found, name) {
					found = append(found, name)
				}
			}
			for _, arg := range n.argv {
				walk(arg.nodes)
			}
			walk(n.kids)
		}
	}
	if strings.Contains(text, "{{") {
		walk(parse(text))
	}
	return found
}

// holds reports whether text may contain anything to replace.
func (e *Env) holds(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "<") || strings.Contains(text, `\{`) ||
		strings.Contains(text, `\}`) ||
		len(e.Placeholders) > 0 && strings.Contains(text, "{")
}

// expander is one call of Expand. Expanded text is appended to out; arguments are expanded at its
// end and removed again.
type expander struct {
	env      *Env
	out      []byte
	limit    int // of len(out)
	work     int // bytes that may still be written
	base     int // start of the present sequence in out
	eat      bool
	depth    int
	draws    int
	fields   uint32 // fields being expanded, so that none holds itself
	original bool   // whether {{original}} stood already
	volatile []string

	// The present text, and its place in the prompt.
	src   string
	place string
}

// text expands a whole text at the end of out.
func (x *expander) text(text, place string) {
	src, was := x.src, x.place
	x.src, x.place = text, place
	nodes := parse(text)
	x.work -= len(text)
	x.sequence(nodes, 0, len(nodes))
	x.src, x.place = src, was
}

// sequence expands nodes[from:to] at the end of out.
func (x *expander) sequence(nodes []node, from, to int) {
	base, eat := x.base, x.eat
	x.base, x.eat = len(x.out), false
	defer func() { x.base, x.eat = base, eat }()
	for i := from; i < to && x.work > 0; i++ {
		n := &nodes[i]
		switch {
		case !n.macro:
			x.literal(x.src[n.pos:n.end])
		case n.raw:
			x.write(x.src[n.pos:n.end])
		case n.closer > 0:
			x.scope(nodes, i)
			i = n.closer
		default:
			x.call(n)
		}
	}
}

// inner expands nodes[from:to], and removes the result from out and returns it.
func (x *expander) inner(nodes []node, from, to int) string {
	start := len(x.out)
	x.sequence(nodes, from, to)
	s := string(x.out[start:])
	x.out = x.out[:start]
	return s
}

// write appends s to out within the limits.
func (x *expander) write(s string) {
	if x.eat {
		s = strings.TrimLeft(s, "\r\n")
		if s == "" {
			return
		}
		x.eat = false
	}
	if room := min(x.limit-len(x.out), x.work); len(s) > room {
		s = cutText(s, room)
		x.work = 0 // nothing is written after a cut
	}
	x.out = append(x.out, s...)
	x.work -= len(s)
}

// literal writes text, replacing the old <USER> style of macros, placeholders,
// and the escaped braces "\{" and "\}".
func (x *expander) literal(s string) {
	for {
		i := strings.IndexAny(s, `<{\`)
		if i < 0 {
			break
		}
		value, size := "", 0
		switch s[i] {
		case '<':
			value, size = x.angle(s[i:])
		case '{':
			value, size = x.placeholder(s[i:])
		default:
			if i+1 < len(s) && (s[i+1] == '{' || s[i+1] == '}') {
				value, size = s[i+1:i+2], 2
			}
		}
		if size == 0 {
			x.write(s[:i+1])
			s = s[i+1:]
			continue
		}
		x.write(s[:i])
		x.write(value)
		s = s[i+size:]
	}
	x.write(s)
}

func (x *expander) angle(s string) (value string, size int) {
	is := func(tag string) bool { return len(s) >= len(tag) && strings.EqualFold(s[:len(tag)], tag) }
	switch {
	case is("<user>"):
		return x.env.User, len("<user>")
	case is("<bot>"):
		return x.env.Char, len("<bot>")
	case is("<char>"):
		return x.env.Char, len("<char>")
	case is("<group>"):
		return x.group(), len("<group>")
	case is("<charifnotgroup>"):
		return x.group(), len("<charifnotgroup>")
	}
	return "", 0
}

// maxPlaceholder limits a placeholder's name.
const maxPlaceholder = 32

// placeholder reads the {name} that s begins with; size is 0 for any other text.
func (x *expander) placeholder(s string) (value string, size int) {
	if len(x.env.Placeholders) == 0 {
		return "", 0
	}
	end := strings.IndexByte(s[:min(len(s), maxPlaceholder+2)], '}')
	if end < 0 {
		return "", 0
	}
	name := strings.ToLower(s[1:end])
	value, known := x.env.Placeholders[name]
	if !known {
		return "", 0
	}
	if x.env.PlaceholderMet != nil {
		x.env.PlaceholderMet(name)
	}
	return value, end + 1
}

// arguments expands a macro's arguments.
func (x *expander) arguments(n *node) []string {
	if len(n.argv) == 0 {
		return nil
	}
	args := make([]string, len(n.argv))
	for i := range n.argv {
		args[i] = x.inner(n.argv[i].nodes, 0, len(n.argv[i].nodes))
	}
	return args
}

// verbatim writes a macro unchanged, with the macros inside it expanded.
func (x *expander) verbatim(n *node) {
	if n.name == "" {
		x.write("{{")
		x.sequence(n.kids, 0, len(n.kids))
		x.write("}}")
		return
	}
	at := n.pos
	for _, arg := range n.argv {
		x.write(x.src[at:arg.pos])
		x.sequence(arg.nodes, 0, len(arg.nodes))
		at = arg.end
	}
	x.write(x.src[at:n.end])
}

// field expands a text that a card's author wrote, at most once at a time.
func (x *expander) field(bit uint, name, text string) {
	if x.fields&(1<<bit) != 0 || x.depth >= maxNesting {
		return
	}
	if !x.env.holds(text) {
		x.write(text)
		return
	}
	base, eat := x.base, x.eat
	x.fields |= 1 << bit
	x.depth++
	if eat {
		text = strings.TrimLeft(text, "\r\n")
	}
	x.text(text, x.place+"/"+name)
	x.depth--
	x.fields &^= 1 << bit
	x.base, x.eat = base, eat && text == ""
}

func (x *expander) met(name string) {
	if !slices.Contains(x.volatile, name) {
		x.volatile = append(x.volatile, name)
	}
}

func (x *expander) group() string {
	if len(x.env.Group) > 0 {
		return strings.Join(x.env.Group, ", ")
	}
	return x.env.Char
}

// others returns the names of everybody but the character: the rest of a group and the user.
func (x *expander) others() string {
	var names []string
	for _, g := range x.env.Group {
		if g != x.env.Char {
			names = append(names, g)
		}
	}
	return strings.Join(append(names, x.env.User), ", ")
}

// cutText shortens s to at most n bytes without breaking a character.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
