package scene

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestGrade(t *testing.T) {
	for name, c := range map[string]struct {
		question, expected, answer string
		lost                       bool
	}{
		"the same":                    {"Where is the key?", "under the third stair", "Under the third stair.", false},
		"other words around":          {"Where is the key?", "under the third stair", "It lies beneath the third of the stairs", false},
		"half of it":                  {"What did Mara take?", "a brass lantern", "the lantern", false},
		"something else":              {"Where is the key?", "under the third stair", "in the kitchen drawer", true},
		"memory says nothing":         {"Where is the key?", "under the third stair", "Not in memory.", true},
		"no answer":                   {"Where is the key?", "under the third stair", "", true},
		"only what the question said": {"Who holds the brass lantern?", "Ana holds the brass lantern", "The brass lantern", true},
		"a short name":                {"Who holds the lantern?", "Ana", "Ana has it", false},
		"another short name":          {"Who holds the lantern?", "Ana", "Eve has it", true},
		"a number":                    {"How many days?", "three days", "3 days", false},
		"another number":              {"How long do they wait?", "three weeks", "five weeks", true},
		"a number of digits":          {"Which code opens it?", "4711", "the code is 4711", false},
		"yes":                         {"Did she agree?", "yes", "Yes, she did", false},
		"no instead of yes":           {"Did she agree?", "yes", "no", true},
		"another form of a word":      {"What did she do?", "promised to return", "made a promise that she would return", false},
		"japanese":                    {"灯籠は誰のもの？", "灯台守", "灯台守のもの", false},
		"german":                      {"Wo liegt der Schlüssel?", "unter der Treppe", "Der Schlüssel liegt unter der dritten Treppe", false},
	} {
		got := Grade(harbour().Messages, Questions{[]Question{{c.question, c.expected, []int{2, 9, 0}}}}, Answers{[]Reply{{1, c.answer}}})
		if len(got) != 1 || got[0].Lost != c.lost || len(got[0].Messages) != 1 || got[0].Messages[0] != "m2" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	q := Questions{[]Question{{Question: "A?", Answer: "lantern"}, {Question: "B?", Answer: "harbour"}}}
	got := Grade(nil, q, Answers{[]Reply{{2, "harbour"}, {2, "x"}, {7, "lantern"}}})
	if !got[0].Lost || got[1].Lost || got[0].Answer != "" {
		t.Errorf("by number: %+v", got)
	}
}

func TestExam_Check(t *testing.T) {
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
	var lost []storage.ExamQuestion
	for range 40 {
		lost = append(lost, storage.ExamQuestion{Question: "Where is\nthe key?", Expected: "under the third stair " + strings.Repeat("x", 4000)})
	}
	got := RepairInstruction(lost)
	if !strings.Contains(got, "\n- Where is the key? Answer: under the third stair") || strings.Count(got, "\n- ") != maxLost || len(got) > 20_000 {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}
