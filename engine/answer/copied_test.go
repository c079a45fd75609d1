package answer

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestInstruction(t *testing.T) {
	t.Parallel()
	instruction := NewInstruction(slices.Values([]string{"The story:\n{\"text\": \"Nadia hides the key in her boot.\"}\n\nTwo examples from other stories:\n" +
		"{\"text\": \"Anna keeps the deed in her boot.\", \"from\": [1]}\n" +
		"{\"list\": [{\"why\": \"the anger is over\", \"text\": \"Piet meets the bailiff on Friday.\"}]}\n{\"text\": \"Dana waits for the late ferry.\"}\nNow write.", "Facts:\n1. Dana waits for the late ferry.",
		"Answer with one JSON object:\n- `text`: what somebody does at the end of the scene\n" +
			"<chat>\n- mood: grey clouds over the whole long bay\n</chat>", "- mood: Piet sails home over the whole long bay"}))
	for answer, want := range map[string]struct{ kept, copied string }{
		`{"text":"Nadia hides the key in her boot."}`:   {`{"text":"Nadia hides the key in her boot."}`, ""},
		`{"text":"anna keeps the deed in her boot"}`:    {`{"text":""}`, "anna keeps the deed in her boot"},
		`{"list":["Anna keeps the deed in her boot!"]}`: {`{"list":[]}`, ""},
		`{"list":[{"why":"the anger is over","n":1}]}`:  {`{"list":[{"n":1,"why":"the anger is over"}]}`, ""},
		`{"a":{"list":[{"t":{"u":"Piet meets the bailiff on Friday"}},{"t":"Bob sings"}]}}`: {
			`{"a":{"list":[{"t":"Bob sings"}]}}`, ""},
		`{"text":"Dana waits for the late ferry"}`:                    {`{"text":"Dana waits for the late ferry"}`, ""},
		`[["Piet meets the bailiff on Friday", 4]]`:                   {`[[4]]`, ""},
		`{"text":"What somebody does at the end"}`:                    {`{"text":""}`, "What somebody does at the end"},
		`{"text":"somebody does at the end"}`:                         {`{"text":"somebody does at the end"}`, ""},
		`{"text":"clouds over the whole long bay"}`:                   {`{"text":"clouds over the whole long bay"}`, ""},
		`{"text":"home over the whole long bay"}`:                     {`{"text":"home over the whole long bay"}`, ""},
		`["Bob sings at the old pier","Bob sings, at the old pier!"]`: {`["Bob sings at the old pier"]`, ""},
		`[{"n":1,"t":"Bob sings at the old pier"},{"n":1,"t":"bob sings at the old pier"}]`: {
			`[{"n":1,"t":"Bob sings at the old pier"}]`, ""},
		`[{"n":1,"t":"Bob sings at the old pier"},{"n":2,"t":"Bob sings at the old pier"}]`: {
			`[{"n":1,"t":"Bob sings at the old pier"},{"n":2,"t":"Bob sings at the old pier"}]`, ""},
		`["Bob sings","Bob sings",4,4]`: {`["Bob sings","Bob sings",4,4]`, ""},
	} {
		var v any
		if err := json.Unmarshal([]byte(answer), &v); err != nil {
			t.Fatal(err)
		}
		v, copied := instruction.Drop(v)
		kept, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if string(kept) != want.kept || copied != want.copied {
			t.Errorf("%s: %s and %q, want %s and %q", answer, kept, copied, want.kept, want.copied)
		}
	}
}

func TestWithoutExamples(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"Write.\nExample from another story:\n{\"a\": 1}\n\n<story>\n{\"b\": 2}\n</story>\n": "Write.\n\n<story>\n{\"b\": 2}\n</story>\n",
		"Two examples:\n\n{\"a\": 1}\n{\"a\": 2}\nNow write.":                                "Now write.",
		"For example a cat.\nNow write.":                                                     "For example a cat.\nNow write.",
		"Example:\n{a: 1}":                                                                   "Example:\n{a: 1}",
	} {
		if got := WithoutExamples(prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}
