package storyboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ReadAnswer makes a call of a model's answer to Ask. The error says what is wrong with
// the answer, for the model; the call holds what can be used of it all the same,
// and its tool is "" where nothing can.
func ReadAnswer(tool string, in Input, answer json.RawMessage) (storage.ToolCall, error) {
	t := &answerReader{Input: in}
	read := map[string]func(){
		RecommendBeats: t.beats, RecommendFiller: func() {}, BudgetPackages: t.budget,
		GeneratePackage: t.pack, GenerateShots: t.scene, ProposeEdit: t.proposal,
	}[tool]
	if read == nil {
		return storage.ToolCall{}, callErrorf("there is no prompt for %q", cutRunes(cleanLine(tool), maxWord))
	}
	if err := t.read(tool, answer); err != nil {
		return storage.ToolCall{}, err
	}
	read()
	raw, err := encode(t.from)
	if err != nil {
		return storage.ToolCall{}, err
	}
	call := storage.ToolCall{Tool: tool, Params: raw}
	if _, _, err := Apply(in.Plan, call); err != nil {
		if len(t.faults) == 0 { // else it is their consequence
			t.fault("%s", err)
		}
		call = storage.ToolCall{}
	}
	return call, t.err()
}

// answerReader is an answer while it is read.
type answerReader struct {
	Input
	from   object // what can be used of it, in the form of its schema
	faults []string
}

// read reads an answer by the schema that the model was given.
func (t *answerReader) read(tool string, answer json.RawMessage) error {
	o, err := parse(answer)
	if err != nil {
		return err
	}
	schema := schemaOf(Schema(tool, t.Input))
	if tool == ProposeEdit {
		schema = schemaOf(callsSchema(1))
	}
	requireOnlyEssential(schema)
	var faults []string
	t.from, faults = read(o, schema)
	for _, f := range faults {
		t.fault("%s", f)
	}
	if tool != GeneratePackage {
		repairFields(t.from, schema)
		return nil
	}
	most := &schema.Properties["shots"].MaxItems // of too many shots it is fillers that go first
	n := **most
	*most = nil
	repairFields(t.from, schema)
	t.from["shots"] = limitShots(t.entries("shots"), n)
	return nil
}

// requireOnlyEssential leaves required what an answer is of no use without: ids, texts and lists that
// must not be empty. For a size or a reason no model is asked again.
func requireOnlyEssential(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool {
		p := s.Properties[name]
		return !isIdentifying(name, p) && (p.MinItems == nil || *p.MinItems == 0)
	})
	for _, p := range s.Properties {
		requireOnlyEssential(p)
	}
	requireOnlyEssential(s.Items)
}

// err is what the model is told of the faults of its answer, nil for none.
func (t *answerReader) err() error {
	if len(t.faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(t.faults, "; "))
}

// maxFaults is how many of an answer's faults the model is told of.
const maxFaults = 5

func (t *answerReader) fault(format string, args ...any) {
	if f := fmt.Sprintf(format, args...); len(t.faults) < maxFaults && !slices.Contains(t.faults, f) {
		t.faults = append(t.faults, f)
	}
}

// entries are what a list of the answer has.
func (t *answerReader) entries(key string) []any {
	list, _ := t.from[key].([]any)
	return list
}

// orderedBeat is a beat with the number of its first message.
type orderedBeat struct {
	at     int
	params map[string]any
}

// beats puts ids in place of the numbers of messages, and the beats in the order of the
// scene.
func (t *answerReader) beats() {
	list, before := t.entries("beats"), 0 // one without a place stays behind those before it
	for i, v := range list {
		o := v.(map[string]any)
		numbers, ids := t.messages(i+1, o), []any{}
		for _, n := range numbers {
			ids = append(ids, string(t.Messages[n-1].ID))
		}
		o["messages"] = ids
		if len(numbers) > 0 {
			before = numbers[0]
		}
		list[i] = orderedBeat{before, o}
	}
	slices.SortStableFunc(list, func(a, b any) int { return cmp.Compare(a.(orderedBeat).at, b.(orderedBeat).at) })
	for i, v := range list {
		list[i] = v.(orderedBeat).params
	}
	t.from = object{"beats": list}
}

// messages are the numbers that a beat names, sorted, without those that are not shown.
func (t *answerReader) messages(beat int, o object) []int {
	var all []int
	list, _ := o["messages"].([]any)
	for _, v := range list {
		if n := int(v.(float64)); !t.hasMessage(n) {
			t.fault("beat %d names the message %d, which is not shown", beat, n)
		} else if len(all) < maxMessages {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// budget gives each beat of the plan one budget.
func (t *answerReader) budget() {
	given := map[any]any{}
	for _, v := range t.entries("budget") {
		if beat := v.(map[string]any)["beat"]; given[beat] == nil {
			given[beat] = v
		}
	}
	var list []any
	for _, b := range t.Plan.Beats {
		a := given[string(b.ID)]
		if a == nil {
			t.fault("beat %s has no budget", b.ID)
			a = map[string]any{"beat": string(b.ID), "key": 1, "filler": 0, "seconds": 4}
		}
		list = append(list, a)
	}
	t.from = object{"budget": list}
}

func (t *answerReader) pack() {
	t.from["beat"] = string(t.Beat)
	t.addDialogue(t.entries("shots"))
}

// limitShots takes shots away from the end until there are most: fillers first.
func limitShots(shots []any, most int) []any {
	for i := len(shots) - 1; i >= 0 && len(shots) > most; i-- {
		if o, _ := shots[i].(map[string]any); o["kind"] == string(storage.FillerShot) {
			shots = slices.Delete(shots, i, i+1)
		}
	}
	return shots[:min(len(shots), most)]
}

// scene reads the order of the shots and what connects them. A shot that it forgets
// keeps its place: see Apply.
func (t *answerReader) scene() {
	there := shotIDs(t.withPackages().Shots)
	known := func(v any) bool { id, _ := v.(string); return slices.Contains(there, storage.ShotID(id)) }
	order := slices.DeleteFunc(unique(t.entries("order")), func(v any) bool { return !known(v) })
	t.from["order"] = order
	placed := func(id storage.ShotID) bool { return slices.Contains(order, any(string(id))) }
	if lost := slices.DeleteFunc(slices.Clone(there), placed); len(lost) > 0 {
		t.fault("the field \"order\" lacks %s", nameShots(lost))
	}
	fillers := slices.DeleteFunc(t.entries("fillers"), func(v any) bool { return !known(v.(map[string]any)["after"]) })
	for _, v := range fillers {
		v.(map[string]any)["kind"] = string(storage.FillerShot)
	}
	t.addDialogue(fillers)
	t.from["fillers"] = fillers
}

// callsSchema is how calls are read: the parameters of each are for Apply to judge.
func callsSchema(least int) json.RawMessage {
	return form(
		textForm("summary", maxAskedReply, ""),
		listForm("calls", least, maxAskedEdits, `{"type":"object"}`),
		textForm("reply", maxDescription, ""),
		property{name: "question", form: `{"type":"boolean"}`},
		property{name: "propose", form: `{"type":"boolean"}`},
	)
}

// proposal keeps the calls that can be carried out one after the other.
func (t *answerReader) proposal() {
	p := t.Plan
	var list []any
	for i, v := range t.entries("calls") {
		c, _ := callOf(v)
		c = t.Normalize(t.Plan, c)
		next, err := p, error(nil)
		if isEditTool(c.Tool) {
			next, _, err = Apply(p, c)
		} else {
			err = callErrorf("an edit plan cannot call %q", c.Tool)
		}
		if err == nil {
			err = t.CheckDialogue(c)
		}
		if err != nil {
			t.fault("call %d: %s", i+1, err)
			continue
		}
		p = next
		list = append(list, map[string]any{"tool": c.Tool, "params": c.Params})
	}
	t.from = object{"request": clip(cleanText(t.Instruction), maxDescription), "summary": t.from["summary"], "calls": list}
}
