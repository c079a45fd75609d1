package capture

import (
	"encoding/json"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Answer is the answer of the capture model. The fields after the prompt describe the prompt.
type Answer struct {
	Reasoning string `json:"reasoning"`
	// RequestedPeople are the people whom the order asks to see, and the following fields the
	// camera that it asks for: keys, other or open. They are missing in a picture of the moment.
	RequestedPeople []RequestedPerson `json:"asked_for,omitempty"`
	RequestedShot   string            `json:"asked_shot,omitempty"`
	RequestedAngle  string            `json:"asked_angle,omitempty"`
	RequestedLight  string            `json:"asked_light,omitempty"`
	Prompt          string            `json:"prompt"`
	Shows           string            `json:"shows"`   // who and what is in the picture
	InView          []string          `json:"in_view"` // names; empty for nobody, nil if missing
	Shot            string            `json:"shot"`    // a key of Shots, or other
	Angle           string            `json:"angle"`   // a key of Angles, or other
	Light           string            `json:"light"`   // a key of Lightings, or other
	NegativePrompt  string            `json:"negative_prompt"`
	// Continuity are facts that the picture fixes for later ones. Ended are the numbers of facts in
	// the request that are no longer true. Both may be missing.
	Continuity []SeenFact `json:"continuity,omitempty"`
	Ended      []int      `json:"ended,omitempty"`
}

// RequestedPerson is somebody whom an order asks to see, with the words of the order.
type RequestedPerson struct {
	Words string `json:"words"`
	Name  string `json:"name"`
}

// SeenFact is a fact that a picture shows, unchecked.
type SeenFact struct {
	Kind string `json:"kind"`
	Who  string `json:"who"`
	Fact string `json:"fact"`
}

// Values of a camera field besides the presets: none of them, and left open by the order.
const (
	Other = "other"
	Open  = "open"
)

// maxInView limits the names in an answer.
const maxInView = 12

// schemaField is one property of a schema. Default is a value that the order decides; it constrains
// nothing.
type schemaField struct {
	Type       string           `json:"type"`
	Enum       []string         `json:"enum,omitempty"`
	Default    any              `json:"default,omitempty"`
	MinLength  int              `json:"minLength,omitempty"`
	MaxLength  int              `json:"maxLength,omitempty"`
	MinItems   int              `json:"minItems,omitempty"`
	MaxItems   int              `json:"maxItems,omitempty"`
	Minimum    int              `json:"minimum,omitempty"`
	Maximum    int              `json:"maximum,omitempty"`
	Items      *schemaField     `json:"items,omitempty"`
	Properties *orderedFields   `json:"properties,omitempty"`
	Required   []string         `json:"required,omitempty"`
	Closed     *json.RawMessage `json:"additionalProperties,omitempty"`
}

// orderedFields are properties, ordered as a model writes them.
type orderedFields []namedField

type namedField struct {
	name     string
	optional bool
	schemaField
}

// MarshalJSON implements json.Marshaler.
func (list orderedFields) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range list {
		data, err := json.Marshal(f.schemaField)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + f.name + `":`)
		b.Write(data)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// object returns a closed schema of fields.
func object(list ...namedField) *schemaField {
	closed := json.RawMessage("false")
	fields := orderedFields(list)
	out := &schemaField{Type: "object", Properties: &fields, Closed: &closed}
	for _, f := range list {
		if !f.optional {
			out.Required = append(out.Required, f.name)
		}
	}
	return out
}

func textField(name string, least, most int) namedField {
	return namedField{name: name, schemaField: schemaField{Type: "string", MinLength: least, MaxLength: most}}
}

func listField(name string, most int, items *schemaField) namedField {
	return namedField{name: name, schemaField: schemaField{Type: "array", MaxItems: most, Items: items}}
}

// cameraFields returns the fields that report the camera of the answer. c is the ordered camera:
// what it decides is what the prompt is written for, or not.
func cameraFields(c Camera) (out []namedField) {
	for _, a := range cameraAxes() {
		f := namedField{name: a.name, schemaField: schemaField{Type: "string", Enum: a.values()}}
		if key := *a.control.Value(&c); key != "" {
			f.Default, f.Enum = key, []string{key, Other}
		}
		out = append(out, f)
	}
	return out
}

// requestedFields returns the fields that report the camera in an order, where c leaves it open.
func requestedFields(c Camera) (out []namedField) {
	for _, a := range cameraAxes() {
		f := namedField{name: "asked_" + a.name, schemaField: schemaField{Type: "string", Enum: append(a.values(), Open)}}
		f.Default = or(*a.control.Value(&c), Open)
		out = append(out, f)
	}
	return out
}

// Schema returns the JSON schema of the answer to in. String lengths stay under 2,000, the limit
// of the server's grammar.
func Schema(in Input) json.RawMessage { return marshal(schema(in)) }

// MinimalSchema returns a schema with the essential fields only, for servers that do not enforce a
// schema.
func MinimalSchema(in Input) json.RawMessage {
	in.Camera = Camera{} // an answer that names another one is to be corrected, not refused
	f := schema(in)
	f.Required = []string{"reasoning", "prompt", "negative_prompt"}
	for i, field := range *f.Properties {
		if field.name == "prompt" {
			(*f.Properties)[i].MinLength = 1
		}
	}
	return marshal(f)
}

// minPrompt returns how many characters a prompt has at least: a small model ends it too early.
func (in Input) minPrompt() int {
	low, _ := in.Form.wordRange(in.Kind)
	return max(20, int(float64(low)*minWord))
}

// minWord is the minimum average length of a word in characters, with its space. English prose has
// about 6.
const minWord = 6.5

func schema(in Input) *schemaField {
	longest := 1990
	if in.Kind == Video {
		longest = 1200
	}
	name := &schemaField{Type: "string", MinLength: 1, MaxLength: maxWho}
	fields := []namedField{textField("reasoning", 0, 600)}
	if in.subject() != subjectMoment {
		asked := listField("asked_for", maxInView, object(textField("words", 1, 80), textField("name", 1, maxWho)))
		fields = append(append(fields, asked), requestedFields(in.Camera)...)
	}
	view := listField("in_view", maxInView, name)
	if wanted := in.requiredPeople(Answer{}); len(wanted) > 0 {
		view.Default = wanted
	}
	fields = append(fields, textField("prompt", in.minPrompt(), longest), textField("shows", 0, 300), view)
	fields = append(fields, cameraFields(in.Camera)...)
	kinds := schemaField{Type: "string"}
	for _, k := range FactKinds() {
		kinds.Enum = append(kinds.Enum, string(k))
	}
	fact := object(namedField{name: "kind", schemaField: kinds}, textField("who", 0, maxWho), textField("fact", 3, 160))
	continuity := listField("continuity", maxSeen, fact)
	ended := listField("ended", maxPromptFacts, &schemaField{Type: "integer", Minimum: 1, Maximum: maxPromptFacts})
	continuity.optional, ended.optional = true, true
	fields = append(fields, textField("negative_prompt", 0, 500), continuity, ended)
	return object(fields...)
}

func marshal(f *schemaField) json.RawMessage {
	data, err := json.Marshal(f)
	if err != nil {
		panic("capture: a schema cannot be written: " + err.Error()) // it has only text and numbers
	}
	return data
}

// CleanAnswer removes the text that models add around an answer, and completes the negative prompt
// and who is in view: those who have to be in the picture, if prompt and summary name them.
func CleanAnswer(in Input, a Answer) Answer {
	a.Prompt = unwrap(a.Prompt)
	a.Reasoning, a.Shows = strings.TrimSpace(a.Reasoning), factLine(a.Shows, 300)
	view := a.InView
	if view != nil {
		a.InView = []string{}
	}
	for _, name := range view[:min(len(view), maxInView)] {
		if name = factLine(name, maxWho); name != "" && !text.Equal(name, "nobody") && !hasName(a.InView, name) {
			a.InView = append(a.InView, name)
		}
	}
	for _, name := range in.requiredPeople(a) {
		if view != nil && !hasName(a.InView, name) && Calls(a.Prompt, name) &&
			(a.Shows == "" || Calls(a.Shows, name)) {
			a.InView = append(a.InView, name)
		}
	}
	var parts []string
	have := map[string]bool{}
	for part := range strings.SplitSeq(negative(in)+","+unwrap(a.NegativePrompt), ",") {
		part = strings.TrimSpace(part)
		if key := strings.ToLower(part); key != "" && !have[key] {
			have[key] = true
			parts = append(parts, part)
		}
	}
	a.NegativePrompt = strings.Join(parts, ", ")
	return a
}

func unwrap(s string) string {
	s = strings.TrimSpace(s)
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"`", "`"}} {
		inner, ok := strings.CutPrefix(s, pair[0])
		if !ok {
			continue
		}
		inner, ok = strings.CutSuffix(inner, pair[1])
		if ok && !strings.Contains(inner, pair[0]) && !strings.Contains(inner, pair[1]) {
			return strings.TrimSpace(inner)
		}
	}
	return s
}
