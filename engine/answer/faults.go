// Package answer interprets JSON values by a schema, tolerantly, and describes their faults in
// words. It does not depend on a server.
package answer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	maxFaults = 3  // reported per answer
	maxWords  = 24 // listed of names or allowed values
	maxValue  = 48 // runes of a value that is quoted
)

// FaultText describes, for the model and the user, the faults of an answer according to the schema
// accepted. The allowed values in it are those of wanted, the schema that was sent to the model.
func FaultText(v any, accepted, wanted *jsonschema.Schema) string {
	found := faultsOf(v, accepted, wanted, place{})
	if len(found) == 0 { // a rule that is not put into words here
		return "it does not have the form that was asked for"
	}
	return strings.Join(found[:min(len(found), maxFaults)], "; ")
}

// Faults returns clauses about the faults of a value according to a schema, nil if there is none.
// Each names the field, its value and the allowed values.
func Faults(v any, s *jsonschema.Schema) []string { return faultsOf(v, s, s, place{}) }

// place is the position of a value in an answer.
type place struct {
	fields string // with dots between them
	item   string // the list item that contains the fields, such as "item 2 of shots"; "" for none
}

func (p place) String() string {
	if p.fields == "" {
		return cmp.Or(p.item, "the answer")
	}
	return strings.TrimSuffix("the field "+quoted(p.fields)+" of "+p.item, " of ")
}

func (p place) field(name string) place {
	return place{strings.TrimPrefix(p.fields+"."+name, "."), p.item}
}

// at returns the place of item i of the list at p.
func (p place) at(i int) place {
	return place{item: fmt.Sprintf("item %d of %s", i+1, strings.TrimPrefix(p.String(), "the field "))}
}

// faultsOf returns clauses about the faults of a value.
func faultsOf(v any, s, wanted *jsonschema.Schema, at place) (found []string) {
	if s == nil {
		return nil
	}
	if wanted == nil {
		wanted = s
	}
	if is := mismatch(v, s); is != "" {
		return []string{fmt.Sprintf("%s %s, but must be %s", at, is, allowed(wanted))}
	}
	switch x := v.(type) {
	case []any:
		for i, in := range x {
			found = append(found, faultsOf(in, s.Items, wanted.Items, at.at(i))...)
		}
	case map[string]any:
		found = fieldFaults(x, s, wanted, at)
	}
	return append(found, choiceFaults(v, s, wanted, at)...)
}

func fieldFaults(x map[string]any, s, wanted *jsonschema.Schema, at place) (found []string) {
	for _, name := range s.Required {
		if _, there := x[name]; there {
			continue
		}
		missing := at.field(name).String() + " is missing"
		if p := wanted.Properties[name]; p != nil {
			missing += " and must be " + allowed(p)
		}
		found = append(found, missing)
	}
	for _, name := range slices.Sorted(maps.Keys(x)) {
		p := s.Properties[name]
		if p == nil {
			p = s.AdditionalProperties
		}
		if p != nil && p.Not != nil { // as the library reads "additionalProperties": false
			found = append(found, fmt.Sprintf("%s is not allowed: %s has the fields %s", at.field(name), at, names(s)))
			continue
		}
		found = append(found, faultsOf(x[name], p, wanted.Properties[name], at.field(name))...)
	}
	return found
}

// choiceFaults returns the faults of a value that matches none of several schemas: those according
// to the first schema for its kind.
func choiceFaults(v any, s, wanted *jsonschema.Schema, at place) (found []string) {
	choices := slices.Concat(s.AnyOf, s.OneOf)
	for _, c := range choices {
		f := faultsOf(v, c, wanted, at)
		if len(f) == 0 {
			return nil
		}
		if found == nil && mismatch(v, c) == "" {
			found = f
		}
	}
	if len(choices) > 0 && found == nil {
		found = []string{fmt.Sprintf("%s is %s, but must be %s", at, quoted(v), allowed(wanted))}
	}
	return found
}

// mismatch describes how a value itself violates a schema, "" if it does not.
func mismatch(v any, s *jsonschema.Schema) string {
	kind, size := measure(v)
	isKind := func(k string) bool {
		return k == kind || k == "integer" && kind == "number" && size == math.Trunc(size)
	}
	isValue := func(one any) bool { return reflect.DeepEqual(one, v) }
	kinds := kindsOf(s)
	if len(kinds) > 0 && !slices.ContainsFunc(kinds, isKind) ||
		len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, isValue) {
		return "is " + quoted(v)
	}
	least, most, thing := bounds(s, kind)
	switch {
	case (least == nil || size >= *least) && (most == nil || size <= *most):
		return ""
	case thing == "":
		return "is " + quoted(v)
	case kind == "string":
		return fmt.Sprintf("has %s (%s)", count(size, thing), quoted(v))
	}
	return "has " + count(size, thing)
}

// measure returns a value's kind, as schemas name it, and the number that is bounded.
func measure(v any) (kind string, size float64) {
	switch x := v.(type) {
	case nil:
		return "null", 0
	case bool:
		return "boolean", 0
	case string:
		return "string", float64(utf8.RuneCountInString(x))
	case float64:
		return "number", x
	case []any:
		return "array", float64(len(x))
	}
	return "object", 0
}

// bounds returns the limits that a schema sets to the values of a kind, and the name of the counted
// things.
func bounds(s *jsonschema.Schema, kind string) (least, most *float64, thing string) {
	number := func(n *int) *float64 {
		if n == nil {
			return nil
		}
		f := float64(*n)
		return &f
	}
	switch kind {
	case "string":
		return number(s.MinLength), number(s.MaxLength), "character"
	case "array":
		return number(s.MinItems), number(s.MaxItems), "item"
	case "number", "integer":
		return s.Minimum, s.Maximum, ""
	}
	return nil, nil, ""
}

func kindsOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

var kindWords = map[string]string{"string": "text", "integer": "a whole number", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "an object", "null": "null"}

// allowed describes the values that a schema allows.
func allowed(s *jsonschema.Schema) string {
	var said []string
	for _, one := range s.Enum {
		said = append(said, cmp.Or(strings.Trim(quoted(one), `"`), `""`))
	}
	if len(said) > 0 {
		return "one of: " + series(said)
	}
	for _, k := range kindsOf(s) {
		words := kindWords[k]
		least, most, thing := bounds(s, k)
		switch {
		case least != nil && most != nil && thing == "":
			words += fmt.Sprintf(" from %v to %v", *least, *most)
		case least != nil && most != nil && *least == *most:
			words += " of " + count(*most, thing)
		case least != nil && most != nil:
			words += fmt.Sprintf(" of %v to %s", *least, count(*most, thing))
		case most != nil:
			words += " of at most " + count(*most, thing)
		case least != nil:
			words += " of at least " + count(*least, thing)
		case k == "object" && len(s.Properties) > 0:
			words += " with the fields " + names(s)
		}
		said = append(said, words)
	}
	for _, c := range slices.Concat(s.AnyOf, s.OneOf) {
		said = append(said, allowed(c))
	}
	return cmp.Or(strings.Join(said, ", or "), "what was asked for")
}

func count(n float64, thing string) string {
	if n != 1 && thing != "" {
		thing += "s"
	}
	return strings.TrimSpace(fmt.Sprint(n, " ", thing))
}

func names(s *jsonschema.Schema) string { return series(slices.Sorted(maps.Keys(s.Properties))) }

func series(words []string) string {
	if more := len(words) - maxWords; more > 0 {
		words = append(slices.Clone(words[:maxWords]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// quoted returns a value as shortened JSON.
func quoted(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a model has to recognize its own text
	_ = e.Encode(v)        // a decoded value can be encoded
	text := []rune(strings.TrimSpace(b.String()))
	if len(text) <= maxValue {
		return string(text)
	}
	return strings.TrimRight(string(text[:maxValue]), `"\`) + "…" + map[bool]string{true: `"`}[text[0] == '"']
}
