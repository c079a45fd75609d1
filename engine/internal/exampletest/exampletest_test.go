package exampletest

import (
	"encoding/json"
	"testing"
)

func TestOf(t *testing.T) {
	got := Of(t, "Rules.\n{{form}}\n{\"a\": 1}\n- {no}\n  {\"b\": 2}\n")
	if len(got) != 2 || string(got[1]) != `{"b": 2}` {
		t.Errorf("%s", got)
	}
}

func TestKeeps(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"why":{"type":"string"},"list":{"type":"array","items":` +
		`{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string"}},"required":["n"]}}},"required":["why"]}`)
	for example, want := range map[string]bool{
		`{"why":"x","list":[{"n":1,"text":"y"}]}`: true,
		`{"list":[],"why":"x"}`:                   false,
		`{"why":"x","list":[{"text":"y","n":1}]}`: false,
		`{"why":"x","list":[{"text":"y"}]}`:       false,
		`{"list":[]}`:                             false,
	} {
		inner := &testing.T{}
		Keeps(inner, schema, json.RawMessage(example))
		if inner.Failed() == want {
			t.Errorf("%s: taken is %v", example, !inner.Failed())
		}
	}
}
