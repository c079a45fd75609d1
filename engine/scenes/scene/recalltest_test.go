package scene

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What has no answer is lost; of the rest a model says it, by the numbers of the questions.
func TestGrade(t *testing.T) {
	q := Questions{[]Question{{"Where is the key?", "under the stair", []int{2, 9, 0}}, {Question: "Who has it?", Answer: "Ana"}, {Question: "When?", Answer: "on Friday"}}}
	got := Grade(harbour().Messages, q, Answers{[]NumberedAnswer{{1, "beneath the stairs"}, {1, "x"}, {2, "Not in memory."}, {7, "on Friday"}}})
	if len(got) != 3 || got[0].Lost || !got[1].Lost || !got[2].Lost || got[0].Answer != "beneath the stairs" || len(got[0].Messages) != 1 || got[0].Messages[0] != "m2" {
		t.Errorf("%+v", got)
	}
	Marks{[]AnswerMark{{Number: 1}, {Number: 0}, {Number: 9}, {Number: 2, Right: true}}}.Apply(got)
	if !got[0].Lost || !got[1].Lost {
		t.Errorf("%+v", got)
	}
	p := MarksPrompt(prompts.BuiltIn(), got, "Robin", "Mara")
	if text := p[len(p)-1].Content; !strings.Contains(text, "1. Where is the key?\nRight: under the stair\nGiven: beneath the stairs\n") || !strings.Contains(text, "3. When?\nRight: on Friday\nGiven: not in memory") {
		t.Error(text)
	}
}

func TestRecallTest_Check(t *testing.T) {
	for text, sound := range map[string]bool{
		`{"questions": [{"question": "Who?", "answer": "Ana", "messages": [1]}]}`: true,
		`{"questions": []}`: false,
		`{"questions": [{"question": "Who?", "answer": " - "}]}`: false,
	} {
		var q Questions
		if err := json.Unmarshal([]byte(text), &q); err != nil || (q.Check() == nil) != sound {
			t.Errorf("%s: %v %v", text, err, q.Check())
		}
	}
	for text, sound := range map[string]bool{
		`{"answers": [{"number": 1, "answer": "Ana"}]}`: true,
		`{"answers": []}`: false,
		`{"answers": [{"number": 0, "answer": "Ana"}]}`:                                 false,
		`{"answers": [{"number": 1, "answer": "Ana"}, {"number": 1, "answer": "Eve"}]}`: true,
	} {
		var a Answers
		if err := json.Unmarshal([]byte(text), &a); err != nil || (a.Check() == nil) != sound {
			t.Errorf("%s: %v %v", text, err, a.Check())
		}
	}
}

func TestRepairInstruction(t *testing.T) {
	if RepairInstruction(nil) != "" {
		t.Error("nothing is lost, and yet there is something to repair")
	}
	var lost []storage.RecallQuestion
	for range 40 {
		lost = append(lost, storage.RecallQuestion{Question: "Where is\nthe key?", Expected: "under the third stair " + strings.Repeat("x", 4000)})
	}
	got := RepairInstruction(lost)
	if !strings.Contains(got, "\n- Where is the key? Answer: under the third stair") || strings.Count(got, "\n- ") != maxLost || len(got) > 20_000 {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}
