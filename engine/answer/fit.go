package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fit converts values to the types of the schema if their meaning is clear: numbers and booleans in
// quotes, numbers instead of texts, and enum values in another case. A value of the right type stays
// unchanged.
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
	case string:
		return fitText(x, s, is)
	case float64:
		if is("string") && !is("number") && !is("integer") {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
	}
	return v
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
		return n
	}
	if is("null") && (word == "" || word == "null" || word == "none") {
		return nil
	}
	return x
}
