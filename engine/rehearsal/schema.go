package rehearsal

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// The longest repetition that the server's grammar bears, as a string's or an
// array's bound. One more and its runner dies on the spot.
const maxRepeat = 2000

var (
	errSchema  = errors.New("invalid JSON schema in format")
	errGrammar = errors.New("model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details")
)

// schema is the part of JSON Schema that the server's grammar knows.
type schema struct {
	Types         kinds              `json:"type"`
	Enum          []json.RawMessage  `json:"enum"`
	Const         json.RawMessage    `json:"const"`
	Properties    properties         `json:"properties"`
	Required      []string           `json:"required"`
	Items         *schema            `json:"items"`
	PrefixItems   []*schema          `json:"prefixItems"`
	MinItems      int                `json:"minItems"`
	MaxItems      *int               `json:"maxItems"`
	UniqueItems   bool               `json:"uniqueItems"`
	MinLength     int                `json:"minLength"`
	MaxLength     *int               `json:"maxLength"`
	Pattern       string             `json:"pattern"`
	Format        string             `json:"format"`
	Minimum       *float64           `json:"minimum"`
	Maximum       *float64           `json:"maximum"`
	Above         *float64           `json:"exclusiveMinimum"`
	Below         *float64           `json:"exclusiveMaximum"`
	MultipleOf    *float64           `json:"multipleOf"`
	MinProperties int                `json:"minProperties"`
	AnyOf         []*schema          `json:"anyOf"`
	OneOf         []*schema          `json:"oneOf"`
	AllOf         []*schema          `json:"allOf"`
	Ref           string             `json:"$ref"`
	Defs          map[string]*schema `json:"$defs"`
	Definitions   map[string]*schema `json:"definitions"`

	always *bool // a schema that is just true or false
}

// property is one entry of properties, which keep the order they are written in.
type property struct {
	name string
	*schema
}

type properties []property

// kinds is one type or several.
type kinds []string

func (k *kinds) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(k))
}

func (p *properties) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return errors.New("properties must be an object")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		s := new(schema)
		if err := dec.Decode(s); err != nil {
			return err
		}
		*p = append(*p, property{name.(string), s})
	}
	return nil
}

func (s *schema) UnmarshalJSON(data []byte) error {
	var always bool
	if json.Unmarshal(data, &always) == nil {
		s.always = &always
		return nil
	}
	type plain schema
	return json.Unmarshal(data, (*plain)(s))
}

// readSchema parses a schema and refuses what the server refuses.
func readSchema(data json.RawMessage) (*schema, error) {
	s := new(schema)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, errSchema
	}
	return s, s.check(0)
}

func (s *schema) check(depth int) error {
	if s == nil {
		return nil
	}
	if depth > 64 {
		return errSchema
	}
	for _, t := range s.Types {
		if !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, t) {
			return errSchema
		}
	}
	if s.Pattern != "" && (!strings.HasPrefix(s.Pattern, "^") || !strings.HasSuffix(s.Pattern, "$")) {
		return errSchema
	}
	if s.MinLength > maxRepeat || s.MaxLength != nil && *s.MaxLength > maxRepeat ||
		s.MinItems > maxRepeat+1 || s.MaxItems != nil && *s.MaxItems > maxRepeat+1 {
		return errGrammar
	}
	below := slices.Concat(s.PrefixItems, s.AnyOf, s.OneOf, s.AllOf, []*schema{s.Items})
	for _, p := range s.Properties {
		below = append(below, p.schema)
	}
	for _, defs := range []map[string]*schema{s.Defs, s.Definitions} {
		for _, d := range defs {
			below = append(below, d)
		}
	}
	for _, b := range below {
		if err := b.check(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

// resolve follows a reference into the root's definitions.
func (s *schema) resolve(root *schema) (*schema, error) {
	if s == nil {
		return nil, errSchema
	}
	for hops := 0; s.Ref != ""; hops++ {
		name, found := strings.CutPrefix(s.Ref, "#/$defs/")
		if !found {
			name, found = strings.CutPrefix(s.Ref, "#/definitions/")
		}
		next := root.Defs[name]
		if next == nil {
			next = root.Definitions[name]
		}
		if s.Ref == "#" {
			next, found = root, true
		}
		if !found || next == nil || hops > 32 {
			return nil, errSchema
		}
		s = next
	}
	return s, nil
}

// merge lays the parts of an allOf over their base. Where two bounds meet, the
// tighter one stays.
func (s *schema) merge(root *schema, depth int) (*schema, error) {
	if len(s.AllOf) == 0 {
		return s, nil
	}
	if depth > 16 { // it refers to itself
		return nil, errSchema
	}
	out := *s
	out.AllOf = nil
	out.Properties = slices.Clone(s.Properties)
	for _, part := range s.AllOf {
		part, err := part.resolve(root)
		if err != nil {
			return nil, err
		}
		if part, err = part.merge(root, depth+1); err != nil {
			return nil, err
		}
		out.narrow(part)
	}
	return &out, nil
}

func (s *schema) narrow(by *schema) {
	for _, p := range by.Properties {
		if !slices.ContainsFunc(s.Properties, func(q property) bool { return q.name == p.name }) {
			s.Properties = append(s.Properties, p)
		}
	}
	s.Required = slices.Concat(s.Required, by.Required)
	if len(s.Types) == 0 {
		s.Types = by.Types
	}
	if s.Items == nil {
		s.Items = by.Items
	}
	if s.Enum == nil {
		s.Enum = by.Enum
	}
	if s.Const == nil {
		s.Const = by.Const
	}
	if s.Pattern == "" {
		s.Pattern = by.Pattern
	}
	if s.Format == "" {
		s.Format = by.Format
	}
	if s.PrefixItems == nil {
		s.PrefixItems = by.PrefixItems
	}
	if s.MultipleOf == nil {
		s.MultipleOf = by.MultipleOf
	}
	s.UniqueItems = s.UniqueItems || by.UniqueItems
	s.MinProperties = max(s.MinProperties, by.MinProperties)
	s.MinItems, s.MinLength = max(s.MinItems, by.MinItems), max(s.MinLength, by.MinLength)
	s.MaxItems, s.MaxLength = tighter(s.MaxItems, by.MaxItems, -1), tighter(s.MaxLength, by.MaxLength, -1)
	s.Minimum, s.Maximum = tighter(s.Minimum, by.Minimum, 1), tighter(s.Maximum, by.Maximum, -1)
	s.Above, s.Below = tighter(s.Above, by.Above, 1), tighter(s.Below, by.Below, -1)
}

// tighter picks the bound that allows less: the larger one with sign 1, the
// smaller one with -1.
func tighter[N int | float64](a, b *N, sign N) *N {
	if a == nil || b != nil && *b*sign > *a*sign {
		return b
	}
	return a
}
