package answer

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fit converts values to the types of the schema if their meaning is clear: numbers and booleans in
// quotes, numbers instead of texts, enum values in another case, and fractions out of bounds, which
// grammars do not enforce, to the bound. It removes duplicate objects from a list while the list is
// longer than its minimum. A value of the right type stays unchanged.
func Fit(v any, s *jsonschema.Schema) any {
	if s == nil {
		return v
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	is := func(t string) bool { return slices.Contains(types, t) }
	switch x := v.(type) {
	case map[string]any:
		for k, in := range x {
			if p := s.Properties[k]; p != nil {
				x[k] = Fit(in, p)
			} else {
				x[k] = Fit(in, s.AdditionalProperties)
			}
		}
	case []any:
		for i := range x {
			x[i] = Fit(x[i], s.Items)
		}
		return distinct(x, s)
	case string:
		return fitText(x, s, is)
	case float64:
		if is("string") && !is("number") && !is("integer") {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
		if is("number") {
			return within(x, s)
		}
	}
	return v
}

// within returns a number, limited to the bounds of the schema.
func within(x float64, s *jsonschema.Schema) float64 {
	if s.Minimum != nil {
		x = max(x, *s.Minimum)
	}
	if s.Maximum != nil {
		x = min(x, *s.Maximum)
	}
	return x
}

// distinct returns a list without duplicate objects, as far as its minimum length allows.
func distinct(list []any, s *jsonschema.Schema) []any {
	least := 0
	if s.MinItems != nil {
		least = *s.MinItems
	}
	out := make([]any, 0, len(list))
	for i, v := range list {
		_, isObject := v.(map[string]any)
		again := isObject && slices.ContainsFunc(out, func(o any) bool { return reflect.DeepEqual(o, v) })
		if !again || len(out)+len(list)-i <= least {
			out = append(out, v)
		}
	}
	return out
}

func fitText(x string, s *jsonschema.Schema, is func(string) bool) any {
	word := strings.ToLower(strings.TrimSpace(x))
	if is("string") {
		for _, one := range s.Enum {
			if known, ok := one.(string); ok && strings.EqualFold(known, word) {
				return known
			}
		}
		return x
	}
	if is("boolean") && (word == "true" || word == "yes") {
		return true
	}
	if is("boolean") && (word == "false" || word == "no") {
		return false
	}
	if n, err := strconv.ParseFloat(word, 64); err == nil && strings.Trim(word, "+-.0123456789") == "" &&
		(is("number") || is("integer")) {
		return Fit(n, s)
	}
	if is("null") && (word == "" || word == "null" || word == "none") {
		return nil
	}
	return x
}
