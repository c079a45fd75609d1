package storyboard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tools returns the tools in the order of the work on a storyboard. A steering line may change
// shots, propose and execute a change, and confirm; planning steps and imports have their own
// requests.
func Tools() []Tool {
	return slices.Clone(table())
}

// Find returns the tool with a name.
func Find(name string) (Tool, bool) {
	for _, t := range table() {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// toolNames returns the names of all tools.
func toolNames() string {
	names := make([]string, len(table()))
	for i, t := range table() {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

// table is built on first use, because that takes almost a millisecond.
var table = sync.OnceValue(func() []Tool {
	tools := []Tool{
		{Name: RecommendBeats, Planning: true, Params: beatParams(),
			Description: "Name the key beats: the moments that the scene turns on, in their order, in place of those " +
				"there are. A beat that stays keeps its id."},
		{Name: RecommendFiller, Planning: true, Params: fillerParams(),
			Description: "Say how much stands between the key shots, and what it is for."},
		{Name: BudgetPackages, Planning: true, Params: budgetParams(),
			Description: "Give each beat its number of key shots and fillers, and its seconds."},
		{Name: GeneratePackage, Planning: true, Params: packageParams(),
			Description: "Write the shots of one beat, in their order."},
		{Name: GenerateShots, Planning: true, Params: generateParams(),
			Description: "Put the shots of all beats in one order and add the fillers that connect them."},
		{Name: ProposeEdit, Planning: true, Steering: true, Params: proposeParams(),
			Description: "Propose a change of many shots for the user to agree to, as calls of other tools. Nothing " +
				"changes yet."},
		{Name: ExecuteEdit, Steering: true, Params: executeParams(),
			Description: "Carry out the edit plan that was proposed and that the user has agreed to; or drop it, " +
				"when the user does not want it."},
		{Name: ModifyShot, Steering: true, Params: modifyParams(),
			Description: "Change one shot. Give only the fields that change."},
		{Name: InsertShot, Steering: true, Params: insertParams(),
			Description: "Insert new shots before or after a shot, or at an index; at the end where no place is " +
				"given."},
		{Name: RemoveShots, Steering: true, Params: removeParams(),
			Description: "Remove shots."},
		{Name: ReorderShots, Steering: true, Params: reorderParams(),
			Description: "Move a shot before or after another or to an index; or give shots in their new order, and " +
				"those left out keep their places."},
		{Name: MergeShots, Steering: true, Params: mergeParams(),
			Description: "Make one shot of several. Texts are joined and seconds added up where no others are given."},
		{Name: ConfirmShots, Steering: true, Params: form(),
			Description: "Confirm the shots: the user is content and they can be sketched."},
		{Name: ImportBoard, Params: importParams(),
			Description: "Put a storyboard from a file in place of what is there."},
	}
	for i, t := range tools {
		tools[i].schema = schemaOf(t.Params)
		if t.Name == ProposeEdit { // the parameters of its calls have their own schemas
			calls := tools[i].schema.Properties["calls"].Items
			calls.Properties["params"] = &jsonschema.Schema{Type: "object"}
			calls.Required, tools[i].schema.Required = []string{"tool"}, []string{"calls"}
		}
	}
	return tools
})

// newShots is the schema of the shots of InsertShot, flatShot that of one whose fields are beside
// its position.
var (
	newShots = sync.OnceValue(func() *jsonschema.Schema {
		return schemaOf(form(listForm("shots", 0, maxShots, `{"anyOf":[`+idForm+`,`+newShotForm()+`]}`)))
	})
	flatShot = sync.OnceValue(func() *jsonschema.Schema {
		return schemaOf(form(append(insertPlace(), newShotForms()...)...))
	})
)

// CompactParams returns the parameters' schema for a model: the properties in the order of
// writing, and nothing else. Their meaning and words are in the system text and in the tool's
// description, and Apply checks their limits. The full schemas of all tools would fill a third of
// a small context.
func (t Tool) CompactParams() json.RawMessage {
	whole := t.Params
	if t.Name == InsertShot { // one flat shot: servers sort the properties of list items
		whole = insertOffer()
	}
	if offered, err := compactSchema(whole); err == nil {
		return offered
	}
	return t.Params
}

// compactSchema keeps the names and types of a schema's properties.
func compactSchema(schema json.RawMessage) (json.RawMessage, error) {
	var s struct {
		Type       json.RawMessage   `json:"type,omitempty"`
		Enum       json.RawMessage   `json:"enum,omitempty"`
		AnyOf      []json.RawMessage `json:"anyOf,omitempty"`
		Items      json.RawMessage   `json:"items,omitempty"`
		Properties json.RawMessage   `json:"properties,omitempty"`
		Required   json.RawMessage   `json:"required,omitempty"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	var err error
	if s.Items != nil {
		if s.Items, err = compactSchema(s.Items); err != nil {
			return nil, err
		}
	}
	for i := range s.AnyOf {
		if s.AnyOf[i], err = compactSchema(s.AnyOf[i]); err != nil {
			return nil, err
		}
	}
	if s.Properties != nil {
		if s.Properties, err = compactProperties(s.Properties); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s)
}

// compactProperties does the same for properties, in their order.
func compactProperties(properties json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(properties))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var p json.RawMessage
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		if name == "params" { // of another tool, which is offered separately
			p = json.RawMessage(`{"type":"object"}`)
		} else if p, err = compactSchema(p); err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(strconv.AppendQuote(out, name.(string)), ':'), p...)
	}
	return append(out, '}'), nil
}
