package capture

import (
	"encoding/json"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Answer is what the capture model hands back. What follows the prompt is what the model says
// that it has written.
type Answer struct {
	Reasoning string `json:"reasoning"`
	// RequestedPeople is whom the order asks to see, and the camera that its words ask for: keys, other
	// or open. They are missing where the moment decides.
	RequestedPeople []RequestedPerson `json:"asked_for,omitempty"`
	RequestedShot   string            `json:"asked_shot,omitempty"`
	RequestedAngle  string            `json:"asked_angle,omitempty"`
	RequestedLight  string            `json:"asked_light,omitempty"`
	Prompt          string            `json:"prompt"`
	Shows           string            `json:"shows"`   // who and what is in the picture
	InView          []string          `json:"in_view"` // names; none for nobody, nil where it is not said
	Shot            string            `json:"shot"`    // a key of Shots, or other
	Angle           string            `json:"angle"`   // a key of Angles, or other
	Light           string            `json:"light"`   // a key of Lightings, or other
	NegativePrompt  string            `json:"negative_prompt"`
	// Continuity is what the picture fixes for the next ones, Ended the numbers of facts that
	// the request has told and that are no longer true. Both may be missing.
	Continuity []SeenFact `json:"continuity,omitempty"`
	Ended      []int      `json:"ended,omitempty"`
}

// RequestedPerson is somebody whom an order asks to see, with the words of the order that do.
type RequestedPerson struct {
	Words string `json:"words"`
	Name  string `json:"name"`
}

// SeenFact is a fact that a picture shows, as the model names it: unchecked.
type SeenFact struct {
	Kind string `json:"kind"`
	Who  string `json:"who"`
	Fact string `json:"fact"`
}

// What an answer says of a camera beside the presets: that none of them is meant, and that the
// order leaves it open.
const (
	Other = "other"
	Open  = "open"
)

// maxInView bounds the names of an answer.
const maxInView = 12

// schemaField is one property of a schema. Default is what the order decides of it, nil for nothing: it
// constrains nothing.
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

// orderedFields are properties in the order in which a model writes them.
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

// object is a schema of fields and of nothing else.
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

// cameraFields are those in which an answer says back its camera. c is the one that was ordered.
func cameraFields(c Camera) (out []namedField) {
	for _, a := range cameraAxes() {
		f := namedField{name: a.name, schemaField: schemaField{Type: "string", Enum: a.values()}}
		if key := *a.control.Value(&c); key != "" {
			f.Default = key
		}
		out = append(out, f)
	}
	return out
}

// requestedFields are those in which an answer says which camera an order asks for, where c leaves
// it open.
func requestedFields(c Camera) (out []namedField) {
	for _, f := range cameraFields(c) {
		f.name, f.Enum = "asked_"+f.name, append(f.Enum, Open)
		if f.Default == nil {
			f.Default = Open
		}
		out = append(out, f)
	}
	return out
}

// Schema constrains the answer to in. Its lengths stay under 2,000, the longest string that the
// server's grammar takes.
func Schema(in Input) json.RawMessage { return marshal(schema(in)) }

// MinimalSchema is what of an answer can be used: a server that does not keep to the schema may leave
// out what the model says of its prompt.
func MinimalSchema(in Input) json.RawMessage {
	f := schema(in)
	f.Required = []string{"reasoning", "prompt", "negative_prompt"}
	return marshal(f)
}

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
	fields = append(fields, textField("prompt", 20, longest), textField("shows", 0, 300), view)
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
		panic("capture: a schema cannot be written: " + err.Error()) // made of nothing but text and numbers
	}
	return data
}

// CleanAnswer takes off what models wrap an answer in, and sees to it that the
// negative prompt holds everything that is always kept out.
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
