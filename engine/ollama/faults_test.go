package ollama

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// recapSchema is what is asked for, and recapForm what is taken, as those of recaps are.
const (
	recapSchema = `{"type":"object","properties":{"recap":{"type":"object","properties":{
"key_developments":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","properties":{
"text":{"type":"string","minLength":2,"maxLength":320},"messages":{"type":"array","items":{"type":"integer"}}},
"required":["text","messages"],"additionalProperties":false}}},"required":["key_developments"]}},"required":["recap"]}`
	recapForm = `{"type":"object","properties":{"recap":{"anyOf":[{"type":"string"},
{"type":"object","additionalProperties":{"anyOf":[{"type":"null"},{"type":"array","items":{"anyOf":[{"type":"string"},
{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}]}}]}}]}},
"required":["recap"],"anyOf":[{"required":["lorebooks"]},{"required":["setting_lore"]}]}`
	memorySchema = `{"type":"object","properties":{"memories":{"type":"array","maxItems":3,"items":{"type":"object",
"properties":{"text":{"type":"string","minLength":2,"maxLength":20},"importance":{"type":"number","minimum":0,"maximum":1},
"kind":{"type":"string","enum":["fact","event",""]}},"required":["text","importance","kind"],"additionalProperties":false}},
"ended":{"type":"boolean"},"turns":{"type":"integer","minimum":1},"date":{"type":["string","null"],"maxLength":10},
"order":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","maximum":9}}},
"required":["memories"],"additionalProperties":false}`
)

func TestFaults(t *testing.T) {
	tests := []struct {
		name         string
		schema, form string
		answer       string
		want         string
	}{
		{"not JSON", memorySchema, "", `Once upon a time`, `there is no JSON object in it`},
		{"missing", memorySchema, "", `{}`,
			`the field "memories" is missing and must be a list of at most 3 items`},
		{"wrong type", memorySchema, "", `{"memories":"none"}`,
			`the field "memories" is "none", but must be a list of at most 3 items`},
		{"too many", memorySchema, "", `{"memories":[1,2,3,4]}`,
			`the field "memories" has 4 items, but must be a list of at most 3 items`},
		{"too few", memorySchema, "", `{"memories":[],"order":[1]}`,
			`the field "order" has 1 item, but must be a list of 2 items`},
		{"not an object", memorySchema, "", `{"memories":[["a"]]}`,
			`item 1 of "memories" is ["a"], but must be an object with the fields importance, kind, text`},
		{"out of range", reportSchema, "", `{"mood":"calm","score":70}`,
			`the field "score" is 70, but must be a whole number from 0 to 10`},
		{"too long", memorySchema, "",
			`{"memories":[{"text":"The old lantern swung above the door of the boathouse","importance":1,"kind":"fact"}]}`,
			`the field "text" of item 1 of "memories" has 53 characters ("The old lantern swung above the door of the boa…"), but must be text of 2 to 20 characters`},
		{"too short", memorySchema, "", `{"memories":[{"text":"","importance":1,"kind":"fact"}]}`,
			`the field "text" of item 1 of "memories" has 0 characters (""), but must be text of 2 to 20 characters`},
		{"not in the list", memorySchema, "", `{"memories":[{"text":"She left","importance":1,"kind":"rumour"}]}`,
			`the field "kind" of item 1 of "memories" is "rumour", but must be one of: fact, event, ""`},
		{"additional", memorySchema, "",
			`{"memories":[{"text":"She left","importance":1,"kind":"fact","colour":"red"}],"mood":"calm"}`,
			`the field "colour" of item 1 of "memories" is not allowed: item 1 of "memories" has the fields importance, kind, text; ` +
				`the field "mood" is not allowed: the answer has the fields date, ended, memories, order, turns`},
		{"truth", memorySchema, "",
			`{"memories":[],"ended":3}`, `the field "ended" is 3, but must be true or false`},
		{"not whole", memorySchema, "",
			`{"memories":[],"turns":1.5}`, `the field "turns" is 1.5, but must be a whole number of at least 1`},
		{"a bound of one side", memorySchema, "",
			`{"memories":[],"order":[1,12]}`, `item 2 of "order" is 12, but must be a whole number of at most 9`},
		{"or null", memorySchema, "",
			`{"memories":[],"date":{}}`, `the field "date" is {}, but must be text of at most 10 characters, or null`},
		{"the first three", memorySchema, "", `{"memories":[{},{}]}`,
			`the field "text" of item 1 of "memories" is missing and must be text of 2 to 20 characters; ` +
				`the field "importance" of item 1 of "memories" is missing and must be a number from 0 to 1; ` +
				`the field "kind" of item 1 of "memories" is missing and must be one of: fact, event, ""`},
		{"wider than asked, missing", recapSchema, recapForm,
			`{"recap":{"key_developments":[{"messages":[1]}]},"lorebooks":[]}`,
			`the field "text" of item 1 of "recap.key_developments" is missing and must be text of 2 to 320 characters`},
		{"wider than asked, wrong type", recapSchema, recapForm, `{"recap":{"key_developments":7},"lorebooks":[]}`,
			`the field "recap.key_developments" is 7, but must be a list of 1 to 2 items`},
		{"wider than asked, of no kind", recapSchema, recapForm, `{"recap":true,"lorebooks":[]}`,
			`the field "recap" is true, but must be an object with the fields key_developments`},
		{"one of two is missing", recapSchema, recapForm,
			`{"recap":"She left."}`, `the field "lorebooks" is missing`},
		{"kept to the form but not readable", reportSchema, `{"type":"object"}`, `{"mood":["calm"],"score":"high"}`,
			`the field "mood" is ["calm"], but must be one of: calm, tense, angry; the field "score" is "high", but must be a whole number from 0 to 10`},
		{"a rule without words", `{"type":"object","properties":{"a":{"type":"string","pattern":"^b"}}}`, "", `{"a":"c"}`,
			`it does not have the form that was asked for`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var form json.RawMessage
			if tt.form != "" {
				form = json.RawMessage(tt.form)
			}
			var into any = new(map[string]any)
			if tt.schema == reportSchema {
				into = new(report)
			}
			f, err := newForm(Request{Form: form}, json.RawMessage(tt.schema), into, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.read(Result{Content: tt.answer}); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// The model and the user are told the same, and the user also what to do.
func TestStructured_FaultInWords(t *testing.T) {
	const bad, fault = `{"mood":"happy","score":40}`,
		`the field "mood" is "happy", but must be one of: calm, tense, angry; the field "score" is 40, but must be a whole number from 0 to 10`
	s := &script{answers: []string{chatAnswer(bad, "stop"), chatAnswer(bad, "stop")}}
	var got report
	_, err := serve(t, s.serve).Structured(t.Context(), request(), json.RawMessage(reportSchema), &got, nil, nil)
	var answer *AnswerError
	if !errors.As(err, &answer) || answer.Fault != fault {
		t.Fatalf("%v", err)
	}
	if got, want := ErrorText(err), "The model did not give a usable answer: "+fault+". Try again, or use another model."; got != want {
		t.Errorf("the user is told %q", got)
	}
	again := s.got[1].Messages
	want := "This answer cannot be used: " + fault + ". Give the whole answer once more, corrected, as JSON and nothing else."
	if got := again[len(again)-1].Content; got != want {
		t.Errorf("the model is told %q", got)
	}
}

// No word of the library that validates, or of those that decode, gets out, whatever an answer is.
func FuzzFaults(f *testing.F) {
	for _, s := range []string{`{}`, `{"memories":[{"text":7}]}`, `{"recap":{"key_developments":[[]]}}`, `{"memories":[],"turns":1e400}`, `{"mood":{}}`, `{"score":1e300}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, schema := range []string{memorySchema, recapSchema, reportSchema} {
			for _, form := range []json.RawMessage{nil, json.RawMessage(recapForm), json.RawMessage(`{"type":"object"}`)} {
				form, err := newForm(Request{Form: form}, json.RawMessage(schema), new(report), nil)
				if err != nil {
					t.Fatal(err)
				}
				err = form.read(Result{Content: s})
				for _, w := range []string{"validating", "unmarshal", "anyOf", "schema"} {
					if err != nil && strings.Contains(err.Error(), w) && !strings.Contains(s, w) {
						t.Errorf("%s: %v", s, err)
					}
				}
			}
		}
	})
}
