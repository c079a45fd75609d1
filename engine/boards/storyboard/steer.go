package storyboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Steer returns the request to carry out the user's line, in.Instruction. With native, tools are
// offered beside the request, otherwise the answer has the form of SteerSchema. It begins with the
// same bytes as the requests of Ask.
func Steer(set *prompts.Set, in Input, native bool) []prompts.Message {
	values := in.values()
	values["line"], values["talk"] = values["wish"], in.talk()
	values["rules"] = fillPrompt(set, SteerRulesFile, values)
	if native {
		return in.request(set, SteerFile, values)
	}
	values["tools"] = toolList(set, steerTools())
	return in.request(set, SteerAloneFile, values)
}

// UnchangedReply is sent to a model that replied without calling a tool.
func UnchangedReply(set *prompts.Set) string {
	return fillPrompt(set, UnchangedFile, map[string]string{})
}

// talk returns the earlier lines and replies.
func (in Input) talk() string {
	var b strings.Builder
	most := min(maxReply, in.boardBytes()/12)
	for _, t := range in.Talk[max(0, len(in.Talk)-maxTalkLines):] {
		did := ""
		if t.Calls == 0 && !t.Question {
			did = "(nothing was changed) "
		}
		fmt.Fprintf(&b, "Director: %s\nYou: %s%s\n", escapeLine(t.Line, most), did,
			or(escapeLine(t.Reply, most), "("+countText(t.Calls, "call")+")"))
	}
	return or(strings.TrimSpace(b.String()), none)
}

// SteerAnswer is a model's answer to a steering line.
type SteerAnswer struct {
	Calls    []storage.ToolCall
	Reply    string
	Question bool // the reply asks which of two readings is meant
}

// ReadSteerAnswer reads an answer in the form of SteerSchema. The calls are normalized; Apply
// decides whether they are possible. Calls that need the user's consent are returned as one call
// of ProposeEdit. The error says why the answer cannot be read, for the model.
func ReadSteerAnswer(in Input, answer json.RawMessage) (SteerAnswer, error) {
	o, err := parse(answer)
	if err != nil {
		return SteerAnswer{}, err
	}
	schema := schemaOf(callsSchema(0))
	o, _ = read(o, schema)
	repairFields(o, schema)
	var s SteerAnswer
	s.Reply, _ = o["reply"].(string)
	s.Question = o["question"] == true
	list, _ := o["calls"].([]any)
	var edits []any
	for _, c := range list {
		call, ok := callOf(c)
		if !ok {
			return SteerAnswer{}, errors.New(`each entry of "calls" needs a "tool", the name of one of the tools`)
		}
		call = in.Normalize(in.Plan, call)
		s.Calls, edits = append(s.Calls, call), append(edits, map[string]any{"tool": call.Tool, "params": call.Params})
	}
	all := !slices.ContainsFunc(s.Calls, func(c storage.ToolCall) bool { return !isEditTool(c.Tool) })
	if o["propose"] == true && len(edits) > 0 && all {
		raw, err := encode(map[string]any{"request": clip(cleanText(in.Instruction), maxDescription),
			"summary": s.Reply, "calls": edits})
		if err != nil {
			return SteerAnswer{}, err
		}
		s.Calls = []storage.ToolCall{{Tool: ProposeEdit, Params: raw}}
	}
	return s, nil
}

// callSchema is the schema of one call of an answer.
var callSchema = sync.OnceValue(func() *jsonschema.Schema {
	return schemaOf(form(filledForm("tool", maxWord, ""), property{name: "params", form: `{"type":"object"}`}))
})

// callOf reads a call; parameters may be beside the name of the tool.
func callOf(v any) (storage.ToolCall, bool) {
	whole, ok := v.(map[string]any)
	if !ok {
		return storage.ToolCall{}, false
	}
	o, _ := read(whole, callSchema())
	name, _ := o["tool"].(string)
	params, ok := o["params"].(map[string]any)
	if !ok {
		params = map[string]any{}
		for k, v := range whole {
			if field := fieldOf(callSchema(), k); field != "tool" && field != "params" {
				params[k] = v
			}
		}
	}
	raw, err := encode(params)
	return storage.ToolCall{Tool: cutRunes(name, maxWord), Params: raw}, err == nil && name != ""
}

// Normalize returns a model's call in the form that Apply expects: positions are replaced by IDs,
// so that earlier calls do not change their meaning; dialogue comes from the cited messages; empty
// fields are dropped. Unreadable values stay.
func (in Input) Normalize(p storage.Plan, c storage.ToolCall) storage.ToolCall {
	o, err := paramsOf(p, c)
	if err != nil {
		return c
	}
	shots := []any{map[string]any(o)}
	switch c.Tool {
	case InsertShot:
		shots = o["shots"].([]any)
	case ProposeEdit:
		calls := o["calls"].([]any)
		for i, v := range calls {
			if of, ok := callOf(v); ok {
				calls[i] = in.Normalize(p, of)
			}
		}
	}
	for _, shot := range shots {
		if isEditTool(c.Tool) {
			object(shot.(map[string]any)).dropEmpty()
		}
	}
	in.addDialogue(shots)
	if raw, err := encode(o); err == nil {
		c.Params = raw
	}
	return c
}

// dropEmpty drops members that a model only filled in: empty texts, and a duration of 0. An empty
// dialogue can be intended, unless others are empty too.
func (o object) dropEmpty() {
	_, said := o["dialogue"]
	empty := 0
	for key, v := range o {
		if v == "" || key == "seconds" && v == 0.0 {
			delete(o, key)
			empty++
		}
	}
	if _, left := o["dialogue"]; said && !left && empty == 1 {
		o["dialogue"] = ""
	}
}
