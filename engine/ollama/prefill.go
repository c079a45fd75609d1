package ollama

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template/parse"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/template"
)

// Limits of a server's template, whose source is unknown.
const (
	maxTemplate = 64 << 10 // bytes of its text
	maxRendered = 64 << 10 // bytes that it writes
	maxSteps    = 4096     // how often its parts are run
)

// errTemplate is a template that exceeds its bounds.
var errTemplate = errors.New("the template does not end soon")

// lastWords is the text of the last message, the assistant's, in a rendered prompt.
const lastWords = "the words that stand last"

// closesReply reports whether a model's template ends the last message if it is the assistant's:
// such a model cannot continue the message, and begins another. It returns false if that cannot be
// found out. A template of the older kind, which has no messages, never ends the last one.
func closesReply(text string) (closes bool) {
	defer func() {
		if recover() != nil { // the library was not made for templates of strangers
			closes = false
		}
	}()
	if len(text) > maxTemplate {
		return false
	}
	t, err := template.Parse(text)
	if err != nil {
		return false
	}
	vars, err := t.Vars()
	if err != nil || !slices.Contains(vars, "messages") {
		return false
	}
	out, err := render(t, template.Values{IsThinkSet: true, Messages: []api.Message{
		{Role: "system", Content: "s"}, {Role: "user", Content: "u"}, {Role: "assistant", Content: lastWords},
	}})
	_, behind, found := strings.Cut(out, lastWords)
	return err == nil && found && strings.TrimSpace(behind) != ""
}

// render returns the output of a template within its limits. It changes the template: each of its
// parts then begins with a call that counts.
func render(t *template.Template, values template.Values) (string, error) {
	const counter = "countStep"
	steps := 0
	functions := map[string]any{
		counter: func() (string, error) {
			if steps++; steps > maxSteps {
				return "", errTemplate
			}
			return "", nil
		},
		"json": func(any) string { return "" }, // of tools, and there are none
	}
	// A text that is inserted into itself again and again takes all memory. Templates of servers do
	// not need these functions.
	for _, name := range []string{"print", "printf", "println", "html", "js", "urlquery"} {
		functions[name] = func(...any) (string, error) { return "", errTemplate }
	}
	t.Funcs(functions)
	for _, part := range t.Templates() {
		call := parse.NewIdentifier(counter).SetTree(part.Tree)
		countParts(part.Root, &parse.ActionNode{NodeType: parse.NodeAction, Pipe: &parse.PipeNode{
			NodeType: parse.NodePipe,
			Cmds:     []*parse.CommandNode{{NodeType: parse.NodeCommand, Args: []parse.Node{call}}},
		}})
	}
	var out boundedText
	err := t.Execute(&out, values)
	return out.String(), err
}

// countParts puts count at the beginning of a list of nodes and of all lists within it.
func countParts(list *parse.ListNode, count parse.Node) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		var branch *parse.BranchNode
		switch n := node.(type) {
		case *parse.IfNode:
			branch = &n.BranchNode
		case *parse.WithNode:
			branch = &n.BranchNode
		case *parse.RangeNode:
			branch = &n.BranchNode
		default:
			continue
		}
		countParts(branch.List, count)
		countParts(branch.ElseList, count)
	}
	list.Nodes = slices.Insert(list.Nodes, 0, count)
}

// boundedText stores the written bytes, up to maxRendered.
type boundedText struct{ bytes.Buffer }

// Write implements io.Writer.
func (b *boundedText) Write(data []byte) (int, error) {
	if b.Len()+len(data) > maxRendered {
		return 0, errTemplate
	}
	return b.Buffer.Write(data)
}

// bracketed finds the signs in a template outside of its own language: text between bars, text in
// brackets with an underscore, which is unusual in prose, and headings.
var bracketed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<[|｜][^<>\s{}|｜]{1,40}[|｜]>|</?[A-Za-z]*_[^<>\s{}|｜]{1,40}>|\[/?[A-Z]+_[A-Z_]{1,20}\]|` +
		`#{2,3} ?(?:Instruction|Response|Input|Human|Assistant|System):`)
})

// maxSigns limits the number of a template's signs.
const maxSigns = 32

// signsOf returns the signs that a model's template puts between messages, without those of
// thoughts and tools, which occur within a reply.
func signsOf(template string) (list []string) {
	for _, sign := range bracketed().FindAllString(template[:min(len(template), maxTemplate)], -1) {
		low := strings.ToLower(sign)
		within := strings.Contains(low, "think") || strings.Contains(low, "tool") || strings.Contains(low, "function")
		if within || slices.Contains(list, sign) {
			continue
		}
		if list = append(list, sign); len(list) == maxSigns {
			break
		}
	}
	return list
}
