package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"
)

const (
	// maxToolCalls and maxArguments limit the calls of one reply: their number, and the bytes of
	// their arguments in total.
	maxToolCalls = 64
	maxArguments = 256 << 10
)

// Tool is a function that a model may call. Parameters is a JSON schema of an object; empty means
// no parameters.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage
}

// ToolCall is a call of a tool. Arguments is a JSON object, as the model wrote it. Neither it nor
// the name is checked.
type ToolCall struct {
	Name      string
	Arguments json.RawMessage
}

// wire returns the tool as the server gets it. Parts of a schema that the server does not support,
// such as the maximum length of a string, are left out.
func (t Tool) wire() (api.Tool, error) {
	if strings.TrimSpace(t.Name) == "" {
		return api.Tool{}, errors.New("a tool has no name")
	}
	w := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
	parameters := &w.Function.Parameters
	if len(t.Parameters) > 0 {
		if err := json.Unmarshal(t.Parameters, parameters); err != nil {
			return api.Tool{}, fmt.Errorf("the parameters of the tool %q are not a schema: %w", t.Name, err)
		}
	}
	if parameters.Type == "" {
		parameters.Type = "object"
	}
	if parameters.Properties == nil {
		parameters.Properties = api.NewToolPropertiesMap()
	}
	return w, nil
}

// wire returns the message as the server gets it.
func (m Message) wire() (api.Message, error) {
	w := api.Message{Role: m.Role, Content: m.Content, Thinking: m.Thinking, ToolName: m.Tool}
	for i, call := range m.Calls {
		c := api.ToolCall{Function: api.ToolCallFunction{Index: i, Name: call.Name}}
		if len(call.Arguments) > 0 {
			if err := json.Unmarshal(call.Arguments, &c.Function.Arguments); err != nil {
				return api.Message{}, fmt.Errorf("the arguments of a call of %q are not an object: %w", call.Name, err)
			}
		}
		w.ToolCalls = append(w.ToolCalls, c)
	}
	return w, nil
}

// call stores the tool calls of a line, up to the limits: a call is stored completely or not at
// all.
func (r *reply) call(line []api.ToolCall) {
	for _, c := range line {
		arguments := []byte("{}")
		if c.Function.Arguments.Len() > 0 {
			arguments = []byte(c.Function.Arguments.String())
		}
		r.arguments += len(arguments)
		switch {
		case len(r.calls) == maxToolCalls:
			r.stop(fmt.Sprintf("The model called more than %d tools in one reply and was stopped.", maxToolCalls))
			return
		case r.arguments > maxArguments:
			r.stop(fmt.Sprintf("The model gave its tools more than %d KiB and was stopped.", maxArguments>>10))
			return
		}
		r.calls = append(r.calls, ToolCall{Name: clip(c.Function.Name), Arguments: arguments})
	}
}
