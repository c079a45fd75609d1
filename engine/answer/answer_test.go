package answer

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestFitAndFaults(t *testing.T) {
	t.Parallel()
	s := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(`{"type":"object","required":["n","of"],"properties":{"n":{"type":"integer","minimum":1,"maximum":9},
		"of":{"type":"string","enum":["wide","close"]},"on":{"type":"boolean"},"share":{"type":"number","minimum":0,"maximum":1}}}`), s); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string][]string{
		`{"n":"3","of":"Wide","on":"yes"}`: nil,
		`{"n":3,"of":"wide","share":2.5}`:  nil,
		`{"n":12,"of":"wide"}`:             {`the field "n" is 12, but must be a whole number from 1 to 9`},
		`{"n":1}`:                          {`the field "of" is missing and must be one of: wide, close`},
	} {
		var v any
		if err := json.Unmarshal([]byte(given), &v); err != nil {
			t.Fatal(err)
		}
		if got := Faults(Fit(v, s), s); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}

func TestFit_SaysNothingTwice(t *testing.T) {
	t.Parallel()
	list := func(least int) *jsonschema.Schema { return &jsonschema.Schema{MinItems: &least} }
	a, b := map[string]any{"a": 1.0}, map[string]any{"a": 2.0}
	for _, tt := range []struct {
		given []any
		least int
		want  []any
	}{
		{[]any{a, b, a, a}, 0, []any{a, b}},
		{[]any{a, b, a, a}, 3, []any{a, b, a}},
		{[]any{"x", "x", 3.0, 3.0}, 0, []any{"x", "x", 3.0, 3.0}},
	} {
		if got := Fit(slices.Clone(tt.given), list(tt.least)); !reflect.DeepEqual(got, any(tt.want)) {
			t.Errorf("%v, at least %d: %v, want %v", tt.given, tt.least, got, tt.want)
		}
	}
}
