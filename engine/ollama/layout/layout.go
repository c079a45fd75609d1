// Package layout writes out the templates by which model servers lay out prompts: what Go's
// package for templates does, for the values that prompts are made of (nil, bool, int, string,
// []any, map[string]any), within bounds, and without methods. That package calls methods by
// names that only the template knows, and a program in which that may happen keeps every
// method of every type: this one grew by 6 MB. What both understand they write alike.
package layout

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template/parse"
)

// Bounds of what laying out a server's template may cost.
const (
	mostRendered = 64 << 10
	mostSteps    = 64 << 10
	mostDepth    = 200
)

var (
	errLayout   = errors.New("what the template says is not understood")
	errMuch     = errors.New("the template writes too much")
	errBreak    = errors.New("break")
	errContinue = errors.New("continue")
)

// layout is a template that is being written out.
type layout struct {
	trees map[string]*parse.Tree
	out   strings.Builder
	vars  []variable
	steps int
	depth int
}

type variable struct {
	name  string
	value any
}

// Write is what the template text, of any origin, writes for data, at most 64 KiB. An error
// says that it is no template, needs what is not understood here, or does not end soon. It
// changes nothing of data, and is safe to call at once.
func Write(text string, data map[string]any) (string, error) {
	known := make(map[string]any, len(functions)+2)
	for name := range functions {
		known[name] = true
	}
	known["and"], known["or"] = true, true
	trees, err := parse.Parse("", text, "", "", known)
	if err != nil {
		return "", err
	}
	main := trees[""]
	if main == nil {
		return "", nil
	}
	l := layout{trees: trees, vars: []variable{{"$", data}}}
	if err := l.walk(data, main.Root); err != nil {
		return "", err
	}
	return l.out.String(), nil
}

func (l *layout) write(s string) error {
	if l.out.Len()+len(s) > mostRendered {
		return errMuch
	}
	l.out.WriteString(s)
	return nil
}

func (l *layout) walk(dot any, node parse.Node) error {
	if l.steps++; l.steps > mostSteps {
		return errMuch
	}
	switch n := node.(type) {
	case *parse.ListNode:
		return l.list(dot, n)
	case *parse.TextNode:
		return l.write(string(n.Text))
	case *parse.ActionNode:
		v, err := l.pipe(dot, n.Pipe)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		return l.write(written(v))
	case *parse.IfNode:
		return l.branch(dot, &n.BranchNode, false)
	case *parse.WithNode:
		return l.branch(dot, &n.BranchNode, true)
	case *parse.RangeNode:
		return l.each(dot, n)
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	case *parse.CommentNode:
		return nil
	case *parse.TemplateNode:
		return l.other(dot, n)
	}
	return errLayout
}

func (l *layout) list(dot any, list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, n := range list.Nodes {
		if err := l.walk(dot, n); err != nil {
			return err
		}
	}
	return nil
}

// other writes out a template that the text defines, which sees no variables but its own.
func (l *layout) other(dot any, n *parse.TemplateNode) error {
	tree := l.trees[n.Name]
	if tree == nil || l.depth == mostDepth {
		return errLayout
	}
	var data any
	if n.Pipe != nil {
		var err error
		if data, err = l.pipe(dot, n.Pipe); err != nil {
			return err
		}
	}
	vars := l.vars
	l.vars = []variable{{"$", data}}
	l.depth++
	err := l.walk(data, tree.Root)
	l.depth--
	l.vars = vars
	return err
}

func (l *layout) branch(dot any, n *parse.BranchNode, with bool) error {
	mark := len(l.vars)
	defer func() { l.vars = l.vars[:mark] }()
	v, err := l.pipe(dot, n.Pipe)
	switch {
	case err != nil:
		return err
	case !truth(v):
		return l.list(dot, n.ElseList)
	case with:
		return l.list(v, n.List)
	}
	return l.list(dot, n.List)
}

func (l *layout) each(dot any, n *parse.RangeNode) error {
	mark := len(l.vars)
	defer func() { l.vars = l.vars[:mark] }()
	over, err := l.values(dot, n.Pipe)
	if err != nil {
		return err
	}
	many, list := 0, []any(nil)
	switch v := over.(type) {
	case nil:
	case int:
		many = v
	case []any:
		many, list = len(v), v
	default:
		return errLayout
	}
	if many <= 0 {
		return l.list(dot, n.ElseList)
	}
	for i := range many {
		elem := any(i)
		if list != nil {
			elem = list[i]
		}
		l.vars = l.vars[:mark]
		if err := l.bind(n.Pipe, i, elem); err != nil {
			return err
		}
		if err := l.walk(elem, n.List); errors.Is(err, errBreak) {
			break
		} else if err != nil && !errors.Is(err, errContinue) {
			return err
		}
	}
	return nil
}

// bind gives the variables of a range the values of a round.
func (l *layout) bind(p *parse.PipeNode, i int, elem any) error {
	values := []any{elem}
	if len(p.Decl) == 2 {
		values = []any{i, elem}
	}
	for k, decl := range p.Decl {
		if err := l.set(decl.Ident[0], values[k], p.IsAssign); err != nil {
			return err
		}
	}
	return nil
}

// set declares a variable, or assigns to the one that was declared last by that name.
func (l *layout) set(name string, value any, assign bool) error {
	if !assign {
		l.vars = append(l.vars, variable{name, value})
		return nil
	}
	for i := len(l.vars) - 1; i >= 0; i-- {
		if l.vars[i].name == name {
			l.vars[i].value = value
			return nil
		}
	}
	return errLayout
}

func (l *layout) pipe(dot any, p *parse.PipeNode) (any, error) {
	v, err := l.values(dot, p)
	if err != nil {
		return nil, err
	}
	for _, decl := range p.Decl {
		if err := l.set(decl.Ident[0], v, p.IsAssign); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// values is what the commands of a pipe come to, each the last argument of the next.
func (l *layout) values(dot any, p *parse.PipeNode) (v any, err error) {
	for i, c := range p.Cmds {
		var last []any
		if i > 0 {
			last = []any{v}
		}
		if v, err = l.command(dot, c, last); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (l *layout) command(dot any, c *parse.CommandNode, last []any) (any, error) {
	if f, ok := c.Args[0].(*parse.IdentifierNode); ok {
		return l.call(dot, f.Ident, c.Args[1:], last)
	}
	if len(c.Args) > 1 || len(last) > 0 {
		return nil, errLayout
	}
	return l.value(dot, c.Args[0])
}

func (l *layout) value(dot any, node parse.Node) (any, error) {
	if l.steps++; l.steps > mostSteps {
		return nil, errMuch
	}
	switch n := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.NilNode:
		return nil, errLayout
	case *parse.BoolNode:
		return n.True, nil
	case *parse.StringNode:
		return n.Text, nil
	case *parse.NumberNode:
		i, err := strconv.Atoi(n.Text)
		if err != nil {
			return nil, errLayout
		}
		return i, nil
	case *parse.FieldNode:
		return field(dot, n.Ident)
	case *parse.ChainNode:
		v, err := l.value(dot, n.Node)
		if err != nil {
			return nil, err
		}
		return field(v, n.Field)
	case *parse.PipeNode:
		return l.pipe(dot, n)
	case *parse.IdentifierNode:
		return l.call(dot, n.Ident, nil, nil)
	case *parse.VariableNode:
		for i := len(l.vars) - 1; i >= 0; i-- {
			if l.vars[i].name == n.Ident[0] {
				return field(l.vars[i].value, n.Ident[1:])
			}
		}
	}
	return nil, errLayout
}

func field(v any, names []string) (any, error) {
	for _, name := range names {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, errLayout
		}
		v = m[name]
	}
	return v, nil
}

// call is what a function makes of its arguments and, last, of what was piped to it. The
// two that need not look at all of them see them one by one.
func (l *layout) call(dot any, name string, args []parse.Node, last []any) (any, error) {
	lazy := name == "and" || name == "or"
	var values []any
	for _, a := range args {
		v, err := l.value(dot, a)
		if err != nil || lazy && truth(v) == (name == "or") {
			return v, err
		}
		values = append(values, v)
	}
	values = append(values, last...)
	if lazy {
		if len(values) == 0 {
			return nil, errLayout
		}
		return values[len(values)-1], nil
	}
	return functions[name](values)
}

// truth reports whether a value is one that a condition takes for true.
func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case int:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

func written(v any) string {
	if v == nil {
		return "<no value>"
	}
	return fmt.Sprint(v)
}
