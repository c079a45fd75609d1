package answer

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestFitAndFaults(t *testing.T) {
	t.Parallel()
	s := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(`{"type":"object","required":["n","of"],"properties":{"n":{"type":"integer","minimum":1,"maximum":9},
		"of":{"type":"string","enum":["wide","close"]},"on":{"type":"boolean"}}}`), s); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string][]string{
		`{"n":"3","of":"Wide","on":"yes"}`: nil,
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
