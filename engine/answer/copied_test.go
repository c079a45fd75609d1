package answer

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	examples := NewExamples(slices.Values([]string{"The story:\n{\"text\": \"Nadia hides the key in her boot.\"}\n\nTwo examples from other stories:\n" +
		"{\"text\": \"Anna keeps the deed in her boot.\", \"from\": [1]}\n" +
		"{\"list\": [{\"why\": \"the anger is over\", \"text\": \"Piet meets the bailiff on Friday.\"}]}\n{\"text\": \"Dana waits for the late ferry.\"}\nNow write.", "Facts:\n1. Dana waits for the late ferry."}))
	for answer, want := range map[string]struct{ kept, copied string }{
		`{"text":"Nadia hides the key in her boot."}`:   {`{"text":"Nadia hides the key in her boot."}`, ""},
		`{"text":"anna keeps the deed in her boot"}`:    {`{"text":""}`, "anna keeps the deed in her boot"},
		`{"list":["Anna keeps the deed in her boot!"]}`: {`{"list":[]}`, ""},
		`{"list":[{"why":"the anger is over","n":1}]}`:  {`{"list":[{"n":1,"why":"the anger is over"}]}`, ""},
		`{"a":{"list":[{"t":{"u":"Piet meets the bailiff on Friday"}},{"t":"Bob sings"}]}}`: {
			`{"a":{"list":[{"t":"Bob sings"}]}}`, ""},
		`{"text":"Dana waits for the late ferry"}`:  {`{"text":"Dana waits for the late ferry"}`, ""},
		`[["Piet meets the bailiff on Friday", 4]]`: {`[[4]]`, ""},
	} {
		var v any
		if err := json.Unmarshal([]byte(answer), &v); err != nil {
			t.Fatal(err)
		}
		v, copied := examples.Drop(v)
		kept, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if string(kept) != want.kept || copied != want.copied {
			t.Errorf("%s: %s and %q, want %s and %q", answer, kept, copied, want.kept, want.copied)
		}
	}
}
