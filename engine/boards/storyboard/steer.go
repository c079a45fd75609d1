package storyboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Steer is the request to carry out the user's line, in.Wish. With native the
// model is offered the tools beside the request, else its answer has the form of
// SteerSchema. It begins with the same bytes as what Ask makes.
func Steer(set *prompts.Set, in Input, native bool) []prompts.Message {
	values := in.values()
	values["line"], values["talk"] = values["wish"], in.talk()
	values["rules"] = filled(set, SteerRulesFile, values)
	if native {
		return in.request(set, SteerFile, values)
	}
	values["tools"] = toolList(set, choices())
	return in.request(set, SteerAloneFile, values)
}

// Unchanged is what a model is told that has said something and called no tool.
func Unchanged(set *prompts.Set) string { return filled(set, UnchangedFile, map[string]string{}) }

// talk writes what was said before.
func (in Input) talk() string {
	var b strings.Builder
	most := min(shownReply, in.boardRoom()/12)
	for _, t := range in.Talk[max(0, len(in.Talk)-shownTalk):] {
		did := ""
		if t.Calls == 0 && !t.Question {
			did = "(nothing was changed) "
		}
		fmt.Fprintf(&b, "Director: %s\nYou: %s%s\n", shownLine(t.Line, most), did, or(shownLine(t.Reply, most), "("+countWord(t.Calls, "call")+")"))
	}
	return or(strings.TrimSpace(b.String()), nothing)
}

// Steered is a model's answer to a steering line.
type Steered struct {
	Calls    []storage.ToolCall
	Reply    string
	Question bool // the reply asks which of two readings is meant
}

// TakeSteer reads an answer of SteerSchema's form. The calls are in Pinned's form,
// and whether they can be carried out is for Apply to say. Calls that the answer
// wants to be agreed to first come as one, of ProposeEdit. The error says for the
// model why the answer cannot be read.
func TakeSteer(in Input, answer json.RawMessage) (Steered, error) {
	o, err := readAnswer(answer)
	if err != nil {
		return Steered{}, err
	}
	var s Steered
	s.Reply = clip(textOf(o["reply"]), maxDescription)
	s.Question = isTrue(o["question"])
	var edits []any
	for _, c := range o.list("calls") {
		call, ok := callOf(c)
		if !ok {
			return Steered{}, errors.New(`each entry of "calls" needs a "tool", the name of one of the tools`)
		}
		if call = Pinned(in.Plan, call); len(s.Calls) < maxEdits {
			s.Calls, edits = append(s.Calls, call), append(edits, map[string]any{"tool": call.Tool, "params": call.Params})
		}
	}
	all := !slices.ContainsFunc(s.Calls, func(c storage.ToolCall) bool { return !editing(c.Tool) })
	if isTrue(o["propose"]) && len(edits) > 0 && all {
		raw, err := encode(map[string]any{"request": clip(tidyText(in.Wish), maxDescription), "summary": s.Reply, "calls": edits})
		if err != nil {
			return Steered{}, err
		}
		s.Calls = []storage.ToolCall{{Tool: ProposeEdit, Params: raw}}
	}
	return s, nil
}

// callOf reads a call; parameters may stand beside the name of the tool.
func callOf(v any) (storage.ToolCall, bool) {
	o, ok := v.(map[string]any)
	if !ok {
		return storage.ToolCall{}, false
	}
	name := tidyLine(textOf(o["tool"]))
	params, ok := o["params"].(map[string]any)
	if !ok {
		params = map[string]any{}
		for k, v := range o {
			if k != "tool" && k != "params" {
				params[k] = v
			}
		}
	}
	raw, err := encode(params)
	return storage.ToolCall{Tool: cutRunes(name, maxWord), Params: raw}, err == nil && name != ""
}

// Pinned is a call of a model's in the form that Apply takes it best: shots that it
// names by their places in a plan are named by their ids, so that the calls before
// it do not shift what it means; fields that it only fills in are left out.
func Pinned(p storage.Plan, c storage.ToolCall) storage.ToolCall {
	o, err := readAnswer(c.Params)
	if err != nil {
		return c
	}
	o.place(c.Tool, p)
	if c.Tool == InsertShot {
		o.insertion()
	}
	if editing(c.Tool) {
		o.unfilled()
	}
	if raw, err := encode(o); err == nil {
		c.Params = raw
	}
	return c
}

// place turns the places of a plan that a tool's parameters name into ids.
func (o object) place(tool string, p storage.Plan) {
	switch tool {
	case ModifyShot, RemoveShots, ReorderShots, MergeShots:
		o.pin(p)
	case InsertShot:
		if n, there, err := o.count("index", 1, len(p.Shots)); err == nil && there && !o.has("before") && !o.has("after") {
			o["before"] = string(p.Shots[n-1].ID)
			delete(o, "index")
		}
	}
}

// pin turns places into ids, if they all are places of the plan and no ids are
// there. A place of 0 is one that a model only fills in.
func (o object) pin(p storage.Plan) {
	if o.has("shot") || o.has("shots") || o.has("order") {
		return
	}
	var ids []any
	for _, v := range append(slices.Clone(o.list("index")), o.list("indexes")...) {
		n, ok := toNumber(v)
		if ok && n == 0 {
			continue
		}
		if !ok || n != float64(int(n)) || n < 1 || n > float64(len(p.Shots)) {
			return
		}
		ids = append(ids, string(p.Shots[int(n)-1].ID))
	}
	switch {
	case len(ids) == 0:
		return
	case len(ids) == 1 && o.has("index"):
		o["shot"] = ids[0]
	default:
		o["shots"] = ids
	}
	delete(o, "index")
	delete(o, "indexes")
}

// insertion puts the fields of a new shot into a list of them, and ids where those
// should be into its place.
func (o object) insertion() {
	for _, key := range []string{"shot", "shots"} {
		list := o.list(key)
		if len(list) > 0 && !slices.ContainsFunc(list, isObject) { // the ids of a place
			if !o.has("before") && !o.has("after") {
				o["after"] = list[len(list)-1]
			}
			delete(o, key)
		}
	}
	if o.has("shots") || o.has("shot") {
		return
	}
	shot := map[string]any{}
	for _, f := range shotFields() {
		if v, ok := o[f.name]; ok {
			shot[f.name] = v
			delete(o, f.name)
		}
	}
	object(shot).unfilled()
	o["shots"] = []any{shot}
}

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }

// unfilled leaves out what a model only fills in: empty texts and lists, and a time
// of nothing. No dialogue is something that can be meant, unless others are empty
// too.
func (o object) unfilled() {
	_, said := o["dialogue"]
	empty := 0
	for key, v := range o {
		if n, ok := toNumber(v); !o.has(key) || key == "seconds" && ok && n == 0 {
			delete(o, key)
			empty++
		}
	}
	if _, left := o["dialogue"]; said && !left && empty == 1 {
		o["dialogue"] = ""
	}
}

func isTrue(v any) bool {
	b, ok := v.(bool)
	return ok && b || strings.EqualFold(textOf(v), "true")
}
