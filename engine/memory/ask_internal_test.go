package memory

import (
	"encoding/json"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/exampletest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// The prompt's example is an answer that is taken.
func TestAskPrompt_Example(t *testing.T) {
	list := make([]Material, 5)
	for _, example := range exampletest.Of(t, askPrompt(prompts.BuiltIn(), list, "Where is the deed?")[0].Content) {
		exampletest.Keeps(t, AnswerSchema(len(list)), example)
		var g modelAnswer
		if err := json.Unmarshal(example, &g); err != nil || len(g.groundedLines(list)) != 1 {
			t.Errorf("%v: %s", err, example)
		}
	}
}

// Answers as models give them: a sentence counts that rests on a line which it was shown.
func TestGiven_Rests(t *testing.T) {
	list := []Material{{Text: "Clara waits at the mill."}, {Text: "It rains."}}
	for name, c := range map[string]struct {
		answer string
		want   []int // how many lines each sentence rests on
	}{
		"honest":                  {`{"answer":[{"text":"At the mill.","from":[1]}]}`, []int{1}},
		"two lines, one twice":    {`{"answer":[{"text":"At the mill, in the rain.","from":[1,2,1]}]}`, []int{2}},
		"invented":                {`{"answer":[{"text":"In Paris.","from":[]}]}`, nil},
		"a number that is none":   {`{"answer":[{"text":"In Paris.","from":[0,3,-1]}]}`, nil},
		"one of two invented":     {`{"answer":[{"text":"At the mill.","from":[1]},{"text":"With Bo.","from":[9]}]}`, []int{1}},
		"nothing is said":         {`{"answer":[]}`, nil},
		"a sentence of nothing":   {`{"answer":[{"text":" ","from":[1]}]}`, nil},
		"more than was asked for": {`{"answer":[{"text":"a","from":[1]},{"text":"b","from":[1]},{"text":"c","from":[1]},{"text":"d","from":[1]},{"text":"e","from":[1]}]}`, []int{1, 1, 1, 1}},
	} {
		var g modelAnswer
		if err := json.Unmarshal([]byte(c.answer), &g); err != nil {
			t.Fatal(err)
		}
		got := g.groundedLines(list)
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i := range got {
			if len(got[i].From) != c.want[i] {
				t.Errorf("%s: %+v", name, got[i])
			}
		}
	}
}
