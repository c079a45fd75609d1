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

// ReadAnswer converts a model's answer to Ask to a call. The error says what is wrong, for the
// model; the call has what can be used anyway, and its tool is "" if nothing can.
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
		if len(t.faults) == 0 { // else it follows from them
			t.fault("%s", err)
		}
		call = storage.ToolCall{}
	}
	return call, t.err()
}

// answerReader reads an answer.
type answerReader struct {
	Input
	from   object // the usable part, in the form of the schema
	faults []string
}

// read reads an answer by the schema that the model got.
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
	most := &schema.Properties["shots"].MaxItems // of too many shots, fillers are dropped first
	n := **most
	*most = nil
	repairFields(t.from, schema)
	t.from["shots"] = limitShots(t.entries("shots"), n)
	return nil
}

// requireOnlyEssential makes only essential fields required: IDs, and texts and lists that must
// not be empty. A missing size or reason is no cause to ask again.
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

// err returns the faults for the model, nil for none.
func (t *answerReader) err() error {
	if len(t.faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(t.faults, "; "))
}

// maxFaults limits the faults that are reported to the model.
const maxFaults = 5

func (t *answerReader) fault(format string, args ...any) {
	if f := fmt.Sprintf(format, args...); len(t.faults) < maxFaults && !slices.Contains(t.faults, f) {
		t.faults = append(t.faults, f)
	}
}

// entries returns a list of the answer.
func (t *answerReader) entries(key string) []any {
	list, _ := t.from[key].([]any)
	return list
}

// orderedBeat is a beat with the number of its first message.
type orderedBeat struct {
	at     int
	params map[string]any
}

// beats replaces message numbers by IDs, and sorts the beats by the order of the scene.
func (t *answerReader) beats() {
	list, before := t.entries("beats"), 0 // one without messages stays after those before it
	seen := map[string]bool{}
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
	list = slices.DeleteFunc(list, func(v any) bool { // a model that goes round in circles says the same again
		o := v.(map[string]any)
		key := fmt.Sprint(o["text"], o["messages"])
		again := seen[key]
		seen[key] = true
		return again
	})
	t.from = object{"beats": list}
}

// messages returns the sorted message numbers of a beat that are shown.
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

// budget gives each beat one budget.
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

// limitShots removes shots from the end: fillers first.
func limitShots(shots []any, most int) []any {
	for i := len(shots) - 1; i >= 0 && len(shots) > most; i-- {
		if o, _ := shots[i].(map[string]any); o["kind"] == string(storage.FillerShot) {
			shots = slices.Delete(shots, i, i+1)
		}
	}
	return shots[:min(len(shots), most)]
}

// scene reads the order of the shots and the fillers. A forgotten shot keeps its position: see
// Apply.
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

// callsSchema returns the schema for reading calls: Apply checks their parameters.
func callsSchema(least int) json.RawMessage {
	return form(
		textForm("summary", maxAskedReply, ""),
		listForm("calls", least, maxAskedEdits, `{"type":"object"}`),
		textForm("reply", maxDescription, ""),
		property{name: "question", form: `{"type":"boolean"}`},
		property{name: "propose", form: `{"type":"boolean"}`},
	)
}

// proposal keeps the calls that can be carried out in order.
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
	t.from = object{"request": clip(cleanText(t.Instruction), maxDescription), "summary": t.from["summary"],
		"calls": list}
}
