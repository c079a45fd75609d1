package demo

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
	errGrammar = errors.New("model runner has unexpectedly stopped, this may be due to resource limitations or an " +
		"internal error, check ollama server logs for details")
)

// schema is the part of JSON Schema that the program's jobs use. Of the other keywords, only those
// that the server refuses are read.
type schema struct {
	Types      kinds             `json:"type"`
	Enum       []json.RawMessage `json:"enum"`
	Const      json.RawMessage   `json:"const"`
	Default    any               `json:"default"`
	Properties properties        `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	MinItems   int               `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	MinLength  int               `json:"minLength"`
	MaxLength  *int              `json:"maxLength"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	AnyOf      []*schema         `json:"anyOf"`
	OneOf      []*schema         `json:"oneOf"`
	Pattern    string            `json:"pattern"`
	Ref        string            `json:"$ref"`
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

// readSchema parses a schema and returns an error if the server would refuse it.
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
	if s.Ref != "" { // no job has one, and one into nowhere is refused
		return errSchema
	}
	if s.Pattern != "" && (!strings.HasPrefix(s.Pattern, "^") || !strings.HasSuffix(s.Pattern, "$")) {
		return errSchema
	}
	if s.MinLength > maxRepeat || s.MaxLength != nil && *s.MaxLength > maxRepeat ||
		s.MinItems > maxRepeat+1 || s.MaxItems != nil && *s.MaxItems > maxRepeat+1 {
		return errGrammar
	}
	below := slices.Concat(s.AnyOf, s.OneOf, []*schema{s.Items})
	for _, p := range s.Properties {
		below = append(below, p.schema)
	}
	for _, b := range below {
		if err := b.check(depth + 1); err != nil {
			return err
		}
	}
	return nil
}
