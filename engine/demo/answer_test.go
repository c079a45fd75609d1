package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

var talk = []storage.Node{
	{Role: storage.System, Content: "You are Mara."},
	{Role: storage.User, Content: "I open the door. \"Is anybody there?\""},
	{Role: storage.Assistant, Content: "*Mara lifts the lamp.* \"Only Mara,\" she says. \"Come in out of the rain.\""},
	{Role: storage.User, Content: "Report."},
}

// validate checks an answer against the schema with an independent validator.
func validate(schema, answer string) error {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	var v any
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		return err
	}
	return r.Validate(v)
}

func TestStructured_Schemas(t *testing.T) {
	for name, schema := range map[string]string{
		"director": `{"type":"object","properties":{"visual_type":{"type":"string","enum":["character","object","atmosphere","instruction","none"]},"visual_hint":{"type":"string","maxLength":200},"status":{"enum":["going","closing","done"]}},"required":["visual_type","visual_hint","status"],"additionalProperties":false}`,
		"memories": `{"type":"object","properties":{"memories":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"object","properties":{"type":{"enum":["fact","event"]},"content":{"type":"string","minLength":3,"maxLength":120},"importance":{"type":"number","minimum":0,"maximum":1},"from":{"type":"integer","minimum":1,"maximum":12}},"required":["type","content","importance","from"],"additionalProperties":false}}},"required":["memories"]}`,
		"oneOf":    `{"type":"object","properties":{"x":{"oneOf":[{"type":"string","minLength":4},{"type":"integer"}]}},"required":["x"]}`,
		"nullable": `{"type":["string","null"],"maxLength":0}`,
		"anything": `{}`,
		"const":    `{"const":{"a":[1,2]}}`,
		"required": `{"type":"object","required":["unknown"]}`,
	} {
		answer, err := structured(json.RawMessage(schema), talk, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := validate(schema, answer); err != nil {
			t.Errorf("%s: %s: %v", name, answer, err)
		}
	}
}

func TestStructured_KeepsTheOrderOfProperties(t *testing.T) {
	answer, err := structured(json.RawMessage(`{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"string"},"mid":{"type":"string"}},"required":["alpha","mid","zeta"]}`), talk, nil)
	if err != nil {
		t.Fatal(err)
	}
	if z, a, m := strings.Index(answer, `"zeta"`), strings.Index(answer, `"alpha"`), strings.Index(answer, `"mid"`); z < 0 || z > a || a > m {
		t.Errorf("order: %s", answer)
	}
}

func TestStructured_SpeaksOfTheTranscript(t *testing.T) {
	answer, err := structured(json.RawMessage(`{"type":"object","properties":{"recap":{"type":"string","minLength":40,"maxLength":400}},"required":["recap"]}`), talk, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answer, "Mara") || strings.Contains(answer, "Report.") {
		t.Errorf("answer: %s", answer)
	}
}

func TestStructured_Refuses(t *testing.T) {
	for schema, want := range map[string]error{
		`{"type":"foo"}`:                     errSchema,
		`{"type":"string","maxLength":2001}`: errGrammar,
		`{"type":"array","items":{"type":"string","minLength":3000}}`: errGrammar,
		`{"$ref":"#/$defs/none"}`:                                     errSchema,
		`{"properties":3}`:                                            errSchema,
		`{"type":"string","pattern":"a"}`:                             errSchema,
	} {
		if _, err := structured(json.RawMessage(schema), talk, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", schema, err, want)
		}
	}
}

// anySchema draws a random schema of the kind that jobs ask with.
func anySchema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "null"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "anyOf")
	}
	bounds := func(s map[string]any, low, high string, most int) {
		a := rapid.IntRange(0, most).Draw(t, low)
		b := rapid.IntRange(a, most).Draw(t, high)
		if rapid.Bool().Draw(t, "has "+low) {
			s[low] = a
		}
		if rapid.Bool().Draw(t, "has "+high) {
			s[high] = b
		}
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "enum":
		return map[string]any{"enum": rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z "\\é]{0,6}`), 1, 5, rapid.ID[string]).Draw(t, "enum")}
	case "string":
		s := map[string]any{"type": kind}
		bounds(s, "minLength", "maxLength", 400)
		return s
	case "integer", "number":
		s := map[string]any{"type": kind}
		low := rapid.IntRange(-1000, 1000).Draw(t, "low")
		high := rapid.IntRange(low+2, 1100).Draw(t, "high")
		if name := rapid.SampledFrom([]string{"", "minimum"}).Draw(t, "lower"); name != "" {
			s[name] = low
		}
		if name := rapid.SampledFrom([]string{"", "maximum"}).Draw(t, "upper"); name != "" {
			s[name] = high
		}
		return s
	case "array":
		s := map[string]any{"type": kind, "items": anySchema(t, depth-1)}
		bounds(s, "minItems", "maxItems", 6)
		return s
	case "anyOf":
		return map[string]any{"anyOf": []any{anySchema(t, depth-1), anySchema(t, depth-1)}}
	case "object":
		props, names := map[string]any{}, rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z_]{1,9}`), 0, 5, rapid.ID[string]).Draw(t, "names")
		for _, n := range names {
			props[n] = anySchema(t, depth-1)
		}
		required := slices.DeleteFunc(slices.Clone(names), func(string) bool { return rapid.Bool().Draw(t, "optional") })
		return map[string]any{"type": kind, "properties": props, "required": required, "additionalProperties": false}
	default:
		return map[string]any{"type": kind}
	}
}

func TestStructured_AnySchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(anySchema(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := structured(data, talk, nil)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if err := validate(string(data), answer); err != nil {
			t.Fatalf("%s\n%s: %v", data, answer, err)
		}
	})
}

func FuzzStructured(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string"}}}`, "Hello.")
	f.Add(`{"$ref":"#"}`, "")
	f.Add(`{"allOf":[{"$ref":"#"}]}`, "x")
	f.Add(`{"type":"array","minItems":2000,"items":{"type":"array","minItems":2000,"items":{"type":"array","minItems":2000}}}`, "x")
	f.Add(`{"properties":{"prompt":{},"negative_prompt":{},"reasoning":{}}}`, "[Message 1/1] A (PRESENT):\n*b c d e*")
	f.Fuzz(func(t *testing.T, schema, text string) {
		answer, err := structured(json.RawMessage(schema), []storage.Node{{Role: storage.System, Content: text}, {Role: storage.User, Content: text}}, nil)
		if err == nil && !json.Valid([]byte(answer)) {
			t.Errorf("%s: not JSON: %s", schema, answer)
		}
	})
}

func FuzzPieces(f *testing.F) {
	f.Add("Hello there,  world\n\n12345 \xff\xfe é日本 *a* ")
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.Join(tokenizer(0).pieces(text), ""); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if a, b := len(tokenizer(0).pieces(text)), len(tokenizer(0).tokens(nil, text)); a != b {
			t.Errorf("%d pieces, %d tokens", a, b)
		}
	})
}

const detectSchema = `{"type":"object","properties":{"status":{"type":"boolean"},"rationale":{"type":"string","minLength":1,"maxLength":400}},"required":["status","rationale"],"additionalProperties":false}`

func TestScripted(t *testing.T) {
	scripted := InOrder(map[Job][]any{DetectJob: {
		map[string]any{"rationale": strings.Repeat("A new day. ", 60), "status": true, "more": 1},
		`{"rationale":"Nothing.","status":false}`,
	}})
	for i, want := range []bool{true, false, false} {
		answer, err := structured(json.RawMessage(detectSchema), talk, scripted)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Status    bool
			Rationale string
			More      int
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Status != want || got.Rationale == "" || got.More != 0 || len(got.Rationale) > 400 {
			t.Errorf("%d: %s: %v", i, answer, err)
		}
		if err := validate(detectSchema, answer); err != nil {
			t.Error(err)
		}
	}
}

func TestLastSentences(t *testing.T) {
	for name, c := range map[string]struct{ last, want string }{
		"the message before what is asked": {"Report.", "Mara lifts the lamp."},
		"between tags":                     {"Read.\n<messages>\n[1] Bo: *The boat leaks.* \"Row, then!\"\n</messages>\nAnswer.", "Bo: The boat leaks."},
	} {
		messages := append(slices.Clone(talk[:3]), storage.Node{Role: storage.User, Content: c.last})
		if got := lastSentences(messages); got[0] != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
