package rehearsal

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// record is an object that an answer should hold. Its values are string, int,
// float64, bool, []any and record.
type record map[string]any

// fit writes what is wanted in the form that the schema allows: properties in
// the schema's order, texts and lists cut to their bounds. What is wanted and
// cannot be said in that form, or is not wanted but required, is made up.
func (f *forge) fit(s *schema, name string, want any, depth int) error {
	flat, err := s.flat(f.root)
	if err != nil {
		return err
	}
	if want == nil || flat.Const != nil {
		return f.value(s, name, depth)
	}
	if f.values++; depth > 4*deepest || f.values > maxValues || f.out.Len() > maxAnswer {
		return errSchema
	}
	s = flat
	if len(s.Enum) > 0 {
		return f.oneOf(s.Enum, want)
	}
	if choices := slices.Concat(s.AnyOf, s.OneOf); len(choices) > 0 {
		pick := choices[0]
		for _, c := range choices {
			if c, err := c.flat(f.root); err == nil && c.kind() == kindOfValue(want) {
				pick = c
				break
			}
		}
		return f.fit(f.under(s, pick), name, want, depth+1)
	}
	switch kind := s.kind(); kind {
	case "object":
		if want, ok := want.(record); ok {
			return f.record(s, want, depth)
		}
	case "array":
		list, ok := want.([]any)
		if !ok {
			list = []any{want}
		}
		return f.list(s, name, list, depth)
	case "string":
		if text, ok := asText(want); ok && s.Pattern == "" && s.Format == "" {
			f.out.Write(quote(f.fill(s, text)))
			return nil
		}
	case "integer", "number":
		v, ok := asNumber(want)
		if ok && s.MultipleOf == nil && s.Above == nil && s.Below == nil {
			if v = within(v, s); kind == "integer" {
				v = math.Trunc(v)
			}
			f.out.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
			return nil
		}
	case "boolean":
		if b, ok := want.(bool); ok {
			f.out.WriteString(strconv.FormatBool(b))
			return nil
		}
	}
	return f.value(s, name, depth)
}

// kindOfValue is the schema's word for a value's kind.
func kindOfValue(v any) string {
	switch v.(type) {
	case record:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case int:
		return "integer"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// asText is a value where a plain text has to stand for it.
func asText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case record:
		text, ok := v["text"].(string)
		return text, ok
	}
	return "", false
}

// oneOf writes the allowed value that is wanted, whatever its case.
func (f *forge) oneOf(allowed []json.RawMessage, want any) error {
	wanted, err := json.Marshal(want)
	if err != nil {
		return err
	}
	for _, v := range allowed {
		if strings.EqualFold(string(v), string(wanted)) {
			f.out.Write(v)
			return nil
		}
	}
	f.out.Write(f.choose(allowed))
	return nil
}

// record writes an object. What is not required and not wanted is left out.
func (f *forge) record(s *schema, want record, depth int) error {
	plain := *s
	plain.Properties = slices.DeleteFunc(slices.Clone(s.Properties), func(p property) bool {
		return want[p.name] == nil && !slices.Contains(s.Required, p.name)
	})
	return f.members(&plain, func(p property) error { return f.fit(p.schema, p.name, want[p.name], depth+1) })
}

// list writes the first items for which there is room.
func (f *forge) list(s *schema, name string, want []any, depth int) error {
	count := max(len(want), s.MinItems)
	if s.MaxItems != nil {
		count = min(count, max(*s.MaxItems, s.MinItems))
	}
	next := 0
	return f.items(s, count, func(item *schema) error {
		if next >= len(want) {
			return f.value(item, name, depth+1)
		}
		next++
		return f.fit(item, name, want[next-1], depth+1)
	})
}

// fill gives a text the length that the schema asks for.
func (f *forge) fill(s *schema, text string) string {
	for utf8.RuneCountInString(text) < s.MinLength {
		text += " " + f.sentence()
	}
	if s.MaxLength != nil {
		text = clip(text, s.MinLength, max(*s.MaxLength, s.MinLength))
	}
	return text
}
