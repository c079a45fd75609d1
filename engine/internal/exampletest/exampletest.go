// Package exampletest checks the examples of answers that prompts show against the schemas that
// the servers are given. Only tests use it.
package exampletest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Of returns the examples in a prompt: its lines that are JSON objects, at least one.
func Of(t *testing.T, prompt string) (out []json.RawMessage) {
	t.Helper()
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "{") && strings.HasSuffix(line, "}") && !strings.HasPrefix(line, "{{") {
			out = append(out, json.RawMessage(line))
		}
	}
	if len(out) == 0 {
		t.Fatalf("there is no example in:\n%s", prompt)
	}
	return out
}

// Keeps fails the test if an example violates a schema or has its fields in another order than the
// schema.
func Keeps(t *testing.T, schema, example json.RawMessage) {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(example, &v); err != nil {
		t.Fatalf("%v:\n%s", err, example)
	}
	if err := r.Validate(v); err != nil {
		t.Errorf("%v:\n%s", err, example)
	}
	order(t, "", schema, example)
}

// order fails the test if an object has its fields in another order than its schema.
func order(t *testing.T, at string, schema, value json.RawMessage) {
	t.Helper()
	var s struct{ Properties, Items json.RawMessage }
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	switch value[0] {
	case '{':
		properties, last := members(t, s.Properties), -1
		for _, m := range members(t, value) {
			i := slices.IndexFunc(properties, func(p member) bool { return p.name == m.name })
			if i < 0 {
				continue
			}
			if i < last {
				t.Errorf("%s/%s stands behind a field that comes after it in the schema", at, m.name)
			}
			last = i
			order(t, at+"/"+m.name, properties[i].value, m.value)
		}
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			order(t, at, s.Items, one)
		}
	}
}

// member is a field of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members are the fields of a JSON object in their order.
func members(t *testing.T, object json.RawMessage) (out []member) {
	t.Helper()
	if len(object) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		m := member{name: name.(string)}
		if err := d.Decode(&m.value); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}
