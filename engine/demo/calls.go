package demo

import (
	"encoding/json"
	"fmt"

	"github.com/ollama/ollama/api"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// call returns the calls of offered tools that the script has for this request, and the text of the
// reply.
func (o *ollama) call(j job, f Fault) (calls []storage.ToolCall, content string, err error) {
	if f.Kind == Say {
		return f.Calls, f.Text, nil
	}
	if len(j.tools) > 0 && len(j.format) == 0 && o.Scripted != nil {
		if answer, ok := o.Scripted(SteerJob, j.messages); ok {
			var line struct {
				Reply string
				Calls []storage.ToolCall
			}
			err := json.Unmarshal(answer, &line)
			return line.Calls, line.Reply, err
		}
	}
	content, err = o.content(j)
	return nil, content, err
}

// wireCalls returns calls in the server's form.
func wireCalls(calls []storage.ToolCall) ([]api.ToolCall, error) {
	var out []api.ToolCall
	for i, c := range calls {
		w := api.ToolCall{ID: fmt.Sprintf("call_%08x", uint32(hash(c.Tool, string(c.Params)))),
			Function: api.ToolCallFunction{Index: i, Name: c.Tool}}
		if err := json.Unmarshal(c.Params, &w.Function.Arguments); err != nil {
			return nil, fmt.Errorf("error parsing tool call: raw='%s', err=%w", c.Params, err)
		}
		out = append(out, w)
	}
	return out, nil
}

// part is a token of an answer. A thought is shown as thinking. The tokens of a call are hidden:
// the whole call comes with the last of them.
type part struct {
	text    string
	thought bool
	hidden  bool
	call    *api.ToolCall
}

// parts cuts an answer into tokens.
func (c tokenizer) parts(thinking, content string, calls []api.ToolCall) []part {
	var out []part
	for _, p := range c.pieces(thinking) {
		out = append(out, part{text: p, thought: true})
	}
	for _, p := range c.pieces(content) {
		out = append(out, part{text: p})
	}
	for i := range calls {
		for _, p := range c.pieces(calls[i].Function.Name + calls[i].Function.Arguments.String()) {
			out = append(out, part{text: p, hidden: true})
		}
		out[len(out)-1].call = &calls[i]
	}
	return out
}
