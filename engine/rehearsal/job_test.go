package rehearsal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	detectSchema  = `{"type":"object","properties":{"status":{"type":"boolean"},"rationale":{"type":"string","maxLength":400}},"required":["status","rationale"],"additionalProperties":false}`
	messageSchema = `{"type":"object","properties":{"recap":{"type":"string","minLength":1,"maxLength":600}},"required":["recap"],"additionalProperties":false}`
	askSchema     = `{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":6,"items":{"type":"object","properties":{"question":{"type":"string","maxLength":300},"answer":{"type":"string","maxLength":300},"messages":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1,"maxItems":6}},"required":["question","answer","messages"],"additionalProperties":false}}},"required":["questions"],"additionalProperties":false}`
	answerSchema  = `{"type":"object","properties":{"answers":{"type":"array","maxItems":6,"items":{"type":"object","properties":{"number":{"type":"integer","minimum":1},"answer":{"type":"string","maxLength":300}},"required":["number","answer"],"additionalProperties":false}}},"required":["answers"],"additionalProperties":false}`
)

// sectioned is the schema of a recap in sections, whose bullets name what they
// were made of by the property of that name.
func sectioned(numbers string, items, length int) string {
	bullets := fmt.Sprintf(`{"type":"array","maxItems":%d,"items":{"type":"object","properties":{"text":{"type":"string","maxLength":%d},%q:{"type":"array","maxItems":12,"items":{"type":"integer","minimum":1}}},"required":["text",%q],"additionalProperties":false}}`, items, length, numbers, numbers)
	var props []string
	for _, s := range sections {
		props = append(props, fmt.Sprintf("%q:%s", s, bullets))
	}
	required, _ := json.Marshal(sections) // of strings: cannot fail
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, strings.Join(props, ","), required)
}

func runningSchema(items, length int) string {
	return `{"type":"object","properties":{"recap":` + sectioned("bullets", items, length) + `},"required":["recap"],"additionalProperties":false}`
}

// sceneSchema is the schema of a scene's recap, around that of its text.
func sceneSchema(recap, lore string) string {
	return `{"type":"object","properties":{"scene_name":{"type":"string","minLength":1,"maxLength":80},"recap":` + recap +
		`,"atmosphere":{"type":"string","maxLength":300},"emotional_beats":{"type":"string","maxLength":400},"` + lore + `":{"type":"array","maxItems":8,"items":` +
		`{"type":"object","properties":{"name":{"type":"string","maxLength":80},"type":{"enum":["character","location","item","faction","quest","rule"]},` +
		`"keywords":{"type":"array","minItems":1,"maxItems":4,"items":{"type":"string","maxLength":60}},"secondaryKeys":{"type":"array","maxItems":4,"items":{"type":"string","maxLength":60}},` +
		`"content":{"type":"string","maxLength":600},"uid":{"type":"string","maxLength":80}},"required":["name","type","keywords","content"],"additionalProperties":false}}},` +
		`"required":["scene_name","recap","atmosphere","emotional_beats","` + lore + `"],"additionalProperties":false}`
}

var usualScene = sceneSchema(sectioned("messages", 40, 300), "lorebooks")

// sceneAnswer is an answer to the usual scene's schema, or to the running one's.
type sceneAnswer struct {
	SceneName      string `json:"scene_name"`
	Recap          map[string][]testBullet
	Atmosphere     string
	EmotionalBeats string `json:"emotional_beats"`
	Lorebooks      []struct {
		Name, Type, Content string
		Keywords            []string
	}
}

type testBullet struct {
	Text              string
	Messages, Bullets []int
}

func (a sceneAnswer) texts() string {
	var out []string
	for _, s := range sections {
		for _, b := range a.Recap[s] {
			out = append(out, b.Text)
		}
	}
	return strings.Join(out, "\n")
}

// evening is a stretch of the bundled play as a transcript.
func evening(t *testing.T, replies int) (text string, count int) {
	t.Helper()
	greeting := strings.ReplaceAll(bundled.Character().Card.FirstMessage, "{{user}}", "Robin")
	chat := []storage.Node{{Role: storage.System, Content: "Tove Halloran"}, {Role: storage.Assistant, Content: greeting}}
	for i := range replies {
		chat = append(chat, storage.Node{Role: storage.User, Content: fmt.Sprintf("I follow her, %d steps behind. \"What is that over there?\"", i+2)})
		chat = append(chat, storage.Node{Role: storage.Assistant, Content: bundled.Reply(chat, 0)})
	}
	var b strings.Builder
	for i, m := range chat[1:] {
		name := map[storage.Role]string{storage.User: "Robin", storage.Assistant: "Tove"}[m.Role]
		fmt.Fprintf(&b, "[%d] %s: %s\n", i+1, name, m.Content)
	}
	return b.String(), len(chat) - 1
}

func asked(system, user string) []storage.Node {
	return []storage.Node{{Role: storage.System, Content: system}, {Role: storage.User, Content: user}}
}

// perfect answers a request, checks the answer against the schema and decodes it.
func perfect[T any](t *testing.T, schema string, messages []storage.Node, take int) (v T) {
	t.Helper()
	answer, err := structured(json.RawMessage(schema), messages, take)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(schema, answer); err != nil {
		t.Fatalf("%v:\n%s", err, answer)
	}
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestJob(t *testing.T) {
	either := `{"anyOf":[` + sectioned("messages", 9, 200) + `,{"type":"string"}]}`
	for name, test := range map[string]struct {
		schema string
		want   Job
	}{
		"detection":       {detectSchema, DetectJob},
		"scene":           {usualScene, SceneJob},
		"scene as text":   {sceneSchema(`{"type":"string"}`, "setting_lore"), SceneJob},
		"scene as either": {sceneSchema(either, "lorebooks"), SceneJob},
		"running":         {runningSchema(10, 200), RunningJob},
		"running, either": {`{"properties":{"recap":` + either + `}}`, RunningJob},
		"message":         {messageSchema, MessageJob},
		"questions":       {askSchema, QuestionsJob},
		"answers":         {answerSchema, AnswersJob},
		"by reference":    {`{"$ref":"#/$defs/d","$defs":{"d":` + detectSchema + `}}`, DetectJob},
		"capture":         {`{"properties":{"prompt":{},"negative_prompt":{},"reasoning":{}}}`, CaptureJob},
		"director":        {`{"properties":{"visual_type":{},"visual_hint":{},"status":{}}}`, ""},
		"other questions": {`{"properties":{"questions":{"type":"array","items":{"type":"string"}}}}`, ""},
		"recap and more":  {`{"properties":{"recap":{"type":"string"},"title":{}}}`, ""},
		"no schema":       {`"json"`, ""},
		"nothing":         {``, ""},
	} {
		if got := (Call{Format: json.RawMessage(test.schema)}).Job(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestStructured_JobsWithNothingToWorkOn(t *testing.T) {
	for _, schema := range []string{detectSchema, usualScene, runningSchema(5, 100), messageSchema, askSchema, answerSchema} {
		for name, messages := range map[string][]storage.Node{
			"none": nil, "empty": asked("", ""), "an instruction": asked("Do it.", "Now."),
			"blanks": asked("", "[1] A: \n[2] B:\n\n"), "markup": asked("x", "[1] Ann: **\n\"\"\n[2] Bo: #\n"),
		} {
			answer, err := structured(json.RawMessage(schema), messages, 0)
			if err == nil {
				err = validate(schema, answer)
			}
			if err != nil {
				t.Errorf("%s, %.60s: %v\n%s", name, schema, err, answer)
			}
		}
	}
}

// anyJob draws a job's schema with bounds of its own.
func anyJob(t *rapid.T) string {
	items, length := rapid.IntRange(0, 14).Draw(t, "items"), rapid.IntRange(0, 400).Draw(t, "length")
	numbers := rapid.SampledFrom([]string{"messages", "bullets"}).Draw(t, "numbers")
	lore := rapid.SampledFrom([]string{"lorebooks", "setting_lore"}).Draw(t, "lore")
	recap := sectioned(numbers, items, length)
	if rapid.Bool().Draw(t, "as text") {
		recap = fmt.Sprintf(`{"type":"string","maxLength":%d}`, length)
	}
	return rapid.SampledFrom([]string{
		sceneSchema(recap, lore),
		`{"type":"object","properties":{"recap":` + recap + `},"required":["recap"],"additionalProperties":false}`,
		strings.ReplaceAll(detectSchema, "400", fmt.Sprint(length)),
		strings.ReplaceAll(askSchema, `"maxItems":6`, fmt.Sprintf(`"maxItems":%d`, max(1, items))),
		strings.ReplaceAll(answerSchema, `"maxLength":300`, fmt.Sprintf(`"maxLength":%d`, length)),
	}).Draw(t, "schema")
}

func TestStructured_AnyJob(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"", "\n", "## Key Developments", "## Current Situation", "# Scene", "<memory>", "</memory>", "<transcript>", "</transcript>", "<message>", "</message>", "<newest>", "</newest>", "<scenes>", "</scenes>", "<questions>", "</questions>",
		"This was lost:", "- What? Answer: a lamp", "- Tove, beginning “The”", "- a lamp, and the rain", "Questions:", "1. Where is the lamp?",
		"*She opens the red door.* \"Who goes there?\"", "The next morning they arrive at the harbour.", "„Nein“, sagt sie.", "雨が降る。灯りが消える。", "\"", "[", "[]", "[x]", "\xff",
		"I hold on to the old letter and say nothing at all.", "x: y", strings.Repeat("long and longer, ", 60),
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(0, 30).Draw(t, "lines") {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				fmt.Fprintf(&b, "[%d] %s: %s\n", i+1, rapid.SampledFrom([]string{"Tove", "Robin", "トーヴェ", "A (user)", ""}).Draw(t, "who"), line.Draw(t, "text"))
			case 1:
				fmt.Fprintf(&b, "[%d] %s\n", i+1, line.Draw(t, "text"))
			default:
				b.WriteString(line.Draw(t, "text") + "\n")
			}
		}
		schema, messages := anyJob(t), asked(line.Draw(t, "system"), b.String())
		take := rapid.IntRange(0, 9).Draw(t, "take")
		answer, err := structured(json.RawMessage(schema), messages, take)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, schema, b.String())
		}
		if err := validate(schema, answer); err != nil {
			t.Fatalf("%v\n%s\n%s\n%s", err, schema, b.String(), answer)
		}
		if again, err := structured(json.RawMessage(schema), messages, take); err != nil || again != answer {
			t.Fatalf("the same request got another answer: %v\n%s\n%s", err, answer, again)
		}
	})
}

func FuzzJobs(f *testing.F) {
	f.Add("You judge.", "[1] Tove: *Rain.*\n[2] Robin: \"Hours later,\" I say. The next morning\u2028comes.", uint8(0))
	f.Add("", "## Current Situation\n[1] a\n[2] b: c\n## Current Situation\n[3] d", uint8(2))
	f.Add("", "<transcript>\n[1] A: b c d e.\n\n[2] F: g\n</transcript>\nlost:\n- x y z Answer: q", uint8(1))
	f.Add("", "<message>\nA: then\n</message><memory>\nCurrent Situation:\n[1] a\n</memory><newest>\n[2] b\n</newest><questions>\n1. c?\n</questions>", uint8(2))
	f.Add("- [1] x", "1. why?\n2) what", uint8(5))
	schemas := []string{detectSchema, usualScene, runningSchema(3, 40), messageSchema, askSchema, answerSchema, sceneSchema(`{"type":"string","maxLength":200}`, "setting_lore")}
	f.Fuzz(func(t *testing.T, system, user string, pick uint8) {
		schema := schemas[int(pick)%len(schemas)]
		answer, err := structured(json.RawMessage(schema), asked(system, user), int(pick)/len(schemas))
		if err == nil {
			err = validate(schema, answer)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, answer)
		}
	})
}

func TestFit_KeepsToTheSchema(t *testing.T) {
	want := record{"b": []any{"one", "two", "three"}, "a": "a text of some words", "n": 12, "yes": true, "o": record{"text": "inner"}, "left": "out"}
	for schema, expect := range map[string]string{
		`{"properties":{"b":{"type":"array","maxItems":2,"items":{"type":"string"}},"a":{"type":"string","maxLength":8}}}`:                    `{"b": ["one", "two"], "a": "a text"}`,
		`{"properties":{"a":{"type":"array","items":{"type":"string"}},"o":{"type":"string"}}}`:                                               `{"a": ["a text of some words"], "o": "inner"}`,
		`{"properties":{"n":{"type":"integer","maximum":9},"yes":{"type":["boolean","null"]},"none":{"type":"string"}}}`:                      `{"n": 9, "yes": true}`,
		`{"properties":{"a":{"enum":["x","A TEXT OF SOME WORDS"]},"n":{"const":3}}}`:                                                          `{"a": "A TEXT OF SOME WORDS", "n": 3}`,
		`{"properties":{"o":{"oneOf":[{"type":"string"},{"type":"object","properties":{"text":{"type":"string"}}}]}}}`:                        `{"o": {"text": "inner"}}`,
		`{"properties":{"o":{"$ref":"#/$defs/o"}},"$defs":{"o":{"allOf":[{"properties":{"text":{"type":"string"}}},{"required":["text"]}]}}}`: `{"o": {"text": "inner"}}`,
	} {
		root, err := readSchema(json.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		f := newForge(root, talk)
		if err := f.fit(root, "", want, 0); err != nil || f.out.String() != expect {
			t.Errorf("%s:\n%s %v\nwant %s", schema, f.out.String(), err, expect)
		}
	}
}

func TestHouse_RegeneratingTellsItDifferently(t *testing.T) {
	text, _ := evening(t, 3)
	h := open(t, Options{})
	body := request(t, map[string]any{"stream": false, "format": json.RawMessage(usualScene), "messages": []map[string]string{
		{"role": "system", "content": "Recap the scene."}, {"role": "user", "content": text},
	}})
	var seen []string
	for range 3 {
		_, content, _ := lines(t, ask(t, h, "POST", "/api/chat", body).body)
		if err := validate(usualScene, content); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(seen, content) {
			t.Errorf("told the same way again: %s", content)
		}
		seen = append(seen, content)
	}
}
