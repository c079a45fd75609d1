package ollama

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// verdict has every type that answers are made of.
type verdict struct {
	Status bool     `json:"status"`
	Mood   string   `json:"mood"`
	Score  int      `json:"score"`
	Nodes  []int    `json:"nodes"`
	Names  []string `json:"names"`
	Date   *string  `json:"date"`
}

const verdictSchema = `{"type":"object","properties":{"status":{"type":"boolean"},"mood":{"type":"string","enum":["calm","tense"]},
"score":{"type":"integer"},"nodes":{"type":"array","items":{"type":"integer"}},"names":{"type":"array","items":{"type":"string"}},
"date":{"type":["string","null"]}},"required":["status"]}`

func readVerdict(t testing.TB, text string) (v verdict, err error) {
	t.Helper()
	f, err := newForm(Request{}, json.RawMessage(verdictSchema), &v, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = f.read(Result{Content: text})
	return v, err
}

// What is usable is taken, whatever stands around it.
func TestRead(t *testing.T) {
	yes := verdict{Status: true}
	tests := []struct {
		name, text string
		want       verdict
	}{
		{"bare", `{"status":true}`, yes},
		{"prose behind", "{\"status\":true}\n\nI hope that helps: [a note].", yes},
		{"prose before", "Sure! Here it is:\n{\"status\":true}", yes},
		{"fence with prose around", "Here:\n```json\n{\"status\": true}\n```\nLet me know!", yes},
		{"fence never closed", "```json\n{\"status\": true}", yes},
		{"list before", "[1] and [2] agree. {\"status\":true}", yes},
		{"curly words before", "I {think} so: {\"status\":true}", yes},
		{"two, first wrong", `{"idea":"a draft"} {"status":true}`, yes},
		{"two, first right", `{"status":true} {"status":false}`, yes},
		{"truth in quotes", `{"status":"True "}`, yes},
		{"untruth in quotes", `{"status": "false", "mood":"calm"}`, verdict{Mood: "calm"}},
		{"number in quotes", `{"status":true,"score":"7","nodes":["3",4]}`, verdict{Status: true, Score: 7, Nodes: []int{3, 4}}},
		{"word for a number", `{"status":true,"names":[12,"Tove"]}`, verdict{Status: true, Names: []string{"12", "Tove"}}},
		{"other letters", `{"status":true,"mood":" Calm "}`, verdict{Status: true, Mood: "calm"}},
		{"broken, in prose", "My answer is {status: true, mood: 'tense',} as asked.", verdict{Status: true, Mood: "tense"}},
		{"list of one", `[{"status":true}]`, yes},
		{"words in brackets around", `[My answer: {"status":true}]`, yes},
		{"bracket in the quotes of a broken one", "{\"mood\":\"a\nb }\",\"in\":{\"status\":false}} {\"status\":true}", yes},
		{"comments", "{\n // it ended\n \"status\": true\n}", yes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := readVerdict(t, tt.text)
			if err != nil {
				t.Fatalf("%s: %v", tt.text, err)
			}
			if d := cmp.Diff(tt.want, v); d != "" {
				t.Error(d)
			}
		})
	}
}

// What is not an answer is not made into one, and the fault is about what was meant as
// the answer.
func TestRead_Refused(t *testing.T) {
	for _, tt := range []struct{ text, fault string }{
		{"It has ended.", "no JSON object"},
		{"[true]", "no JSON object"},
		{`{"mood":"calm"} {"x":1}`, "status"},
		{`{"status":"perhaps"}`, "status"},
		{`{"inner": {"status":true}`, "status"},
		{`[{"status":true},{"status":false}]`, "no JSON object"},
		{`[{"status":true}, {"mood": calm}]`, "no JSON object"},
		{`{"status":true,"score":"nan"}`, "score"},
	} {
		if v, err := readVerdict(t, tt.text); err == nil || !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s: %+v, %v", tt.text, v, err)
		}
	}
}

// A caller may use what breaks a rule: it finds what the fault is about, not an aside
// behind it.
func TestRead_KeepsWhatWasMeant(t *testing.T) {
	var v verdict
	f, err := newForm(Request{}, json.RawMessage(verdictSchema), &v, func() error { return errors.New("it breaks a rule") })
	if err != nil {
		t.Fatal(err)
	}
	if err := f.read(Result{Content: `{"status":true,"score":3} or perhaps {"status":false}`}); err == nil || v.Score != 3 {
		t.Errorf("%+v, %v", v, err)
	}
}

// What is copied from the instruction is left out of lists, and a fault elsewhere.
func TestRead_CopiedFromTheExample(t *testing.T) {
	const schema = `{"type":"object","properties":{"why":{"type":"string"},"names":{"type":"array","items":{"type":"string"}}}}`
	var v struct {
		Why   string
		Names []string
	}
	req := Request{Messages: []Message{{Role: "user", Content: "Example:\n" +
		`{"why":"Anna hides the deed in the mill","names":["Piet of the old east mill"]}` + "\nAnswer now."}}}
	f, err := newForm(req, json.RawMessage(schema), &v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.read(Result{Content: `{"why":"Bob sings","names":["Piet of the old east mill","Bob"]}`}); err != nil ||
		!slices.Equal(v.Names, []string{"Bob"}) {
		t.Errorf("%+v, %v", v, err)
	}
	err = f.read(Result{Content: `{"why":"Anna hides the deed in the mill.","names":[]}`})
	if err == nil || err.Error() != "“Anna hides the deed in the mill.” is copied from the instruction" {
		t.Errorf("%v", err)
	}
	f.last = true
	if err := f.read(Result{Content: `{"why":"Anna hides the deed in the mill.","names":["Bob"]}`}); err != nil ||
		v.Why != "" || len(v.Names) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// Broken JSON does not hold the program up.
func TestRead_Quickly(t *testing.T) {
	for _, s := range []string{"{" + strings.Repeat(`"`, 512<<10), "{" + strings.Repeat(`"a" `, 128<<10), strings.Repeat(`[{"a":1},`, 64<<10), strings.Repeat("{", 1<<20),
		strings.Repeat("[{}", 300<<10)} {
		start := time.Now()
		if _, err := readVerdict(t, s); err == nil {
			t.Errorf("%.20s is accepted", s)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.20s takes %v", s, took)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"{a:1}", "```json\n[1,2,\n```", `{"a":"b`, "/* c */ {'x': None}", "{\"a\":\"\\u", "[[[[", "callback({})", "\xff{",
		`{"mood":"Calm","score":"4"} and so on`, "```\n{\"mood\":\"calm\",\"score\":1}\n``` {", "{}{}{}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got report
		form, err := newForm(Request{}, json.RawMessage(reportSchema), &got, nil)
		if err != nil {
			t.Fatal(err)
		}
		if form.read(Result{Content: s}) == nil && (got.Mood == "" || got.Score < 0 || got.Score > 10) {
			t.Errorf("accepted %q as %+v", s, got)
		}
	})
}
