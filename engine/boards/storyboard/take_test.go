package storyboard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func recorded(t testing.TB, name string) json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "answers", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTake_UsesWhatItCan plays answers of models that know the form only roughly.
func TestTake_UsesWhatItCan(t *testing.T) {
	beats, wish := harbour(), shot(t)
	beats.Plan = storage.Plan{Beats: beats.Plan.Beats, LastBeat: 2}
	wish.Instruction = "Slower, all of it."
	package2 := harbour()
	package2.Plan.Budget[1].Filler = 0
	package2.Beat = "b2"
	for _, test := range []struct {
		tool, want string
		in         Input
		faults     []string
	}{
		{RecommendBeats, `{"beats":[
			{"id":"b1","text":"Robin lays the letter down and says that Tove lied.","why":"The lie is out.","messages":["m2"]},
			{"text":"Tove burns the letter over the lamp.","why":"Nothing can be proved any more.","messages":["m3","m5"]}]}`,
			beats, []string{`item 2 of "messages" of item 1 of "beats" is 9, but must be a whole number from 1 to 5`, `the field "text" of item 3 of "beats" is missing`}},
		{RecommendFiller, `{"amount":"light","jobs":["atmosphere","reaction"],"where":"Around the burning.","why":"The room waits."}`, harbour(), nil},
		{BudgetPackages, `{"budget":[{"beat":"b1","key":1,"filler":0,"seconds":4},{"beat":"b2","key":2,"filler":1,"seconds":9}]}`,
			harbour(), []string{`the field "budget" has 3 items, but must be a list of 2 items`, "beat b1 has no budget"}},
		{GeneratePackage, `{"beat":"b2","shots":[
			{"kind":"key","size":"close_up","angle":"eye_level","movement":"push_in","job":"reaction","subject":"Tove","description":"Tove's hand stops on the net.","seconds":3},
			{"size":"wide","description":"Tove lets the burning letter fall.","seconds":4}]}`,
			package2, []string{`the field "shots" has 4 items, but must be a list of 2 items`}},
		{GenerateShots, `{"order":["s2","s1","s3"],"fillers":[{"after":"s1","kind":"filler","size":"medium","description":"Rain runs down the one window.","seconds":2}]}`,
			written(t), []string{`the field "order" has 5 items, but must be a list of 4 items`, `the field "order" lacks s4`}},
		{ProposeEdit, `{"request":"Slower, all of it.","summary":"Everything slower, and one hand less.","calls":[
			{"tool":"modify_shot","params":{"shot":"s1","seconds":6}},
			{"tool":"modify_shot","params":{"shot":"s4","seconds":7}},
			{"tool":"remove_shots","params":{"shots":["s2"]}}]}`,
			wish, []string{`call 4: an edit plan cannot call "confirm_shots"`, "call 5: there is no shot s2"}},
	} {
		call, err := ReadAnswer(test.tool, test.in, recorded(t, test.tool))
		if call.Tool != test.tool || (err == nil) != (test.faults == nil) {
			t.Fatalf("%s: %+v, %v", test.tool, call, err)
		}
		for _, f := range test.faults {
			if !strings.Contains(err.Error(), f) {
				t.Errorf("%s: %q is not said in: %v", test.tool, f, err)
			}
		}
		if diff := cmp.Diff(parsed(t, json.RawMessage(test.want)), parsed(t, call.Params)); diff != "" {
			t.Errorf("%s: %s", test.tool, diff)
		}
		if _, _, err := Apply(test.in.Plan, call); err != nil {
			t.Errorf("%s cannot be carried out: %v", test.tool, err)
		}
	}
}

// parsed returns JSON as values.
func parsed(t testing.TB, raw json.RawMessage) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// A number of a message that is not there is no other's.
func TestTake_MessagesThatAreNotThere(t *testing.T) {
	in := harbour()
	answer := `{"beats":[{"messages":[9,2],"why":"w","text":"x"},{"messages":[7],"why":"w","text":"y"}]}`
	call, err := ReadAnswer(RecommendBeats, in, json.RawMessage(answer))
	if err == nil {
		t.Error("it is not said")
	}
	p := after(t, in.Plan, call)
	if got := p.Beats[0].Messages; len(got) != 1 || got[0] != "m2" || len(p.Beats) != 2 || len(p.Beats[1].Messages) != 0 {
		t.Errorf("%+v", p.Beats)
	}
}

func TestTake_SaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ tool, answer, want string }{
		{RecommendBeats, `{}`, `the field "beats" is missing and must be a list of 1 to 12 items`},
		{RecommendBeats, `[1]`, "must be a JSON object"},
		{RecommendBeats, `{"beats":[{"text":"x"}]}`, `the field "messages" of item 1 of "beats" is missing`},
		{RecommendFiller, `{"amount":"lots of it"}`, `the field "amount" is "lots of it", but must be one of: none, light, medium, rich`},
		{BudgetPackages, `{"budget":"all"}`, `the field "budget" has 1 item, but must be a list of 2 items`},
		{GeneratePackage, `{"beat":"b1","shots":[{"description":"x"}]}`, `the field "beat" is "b1", but must be one of: b2`},
		{GeneratePackage, `{"shots":[]}`, "a list of 2 items"},
		{GenerateShots, `{"order":["s1"]}`, "no beat has shots yet"},
		{ProposeEdit, `{"calls":[{"tool":"remove_shots","params":{"shots":["s1"]}}]}`, "there is no shot s1: there are no shots yet"},
		{ConfirmShots, `{}`, "there is no prompt for"},
		{"", ``, "there is no prompt for"},
	} {
		in := harbour()
		in.Beat = "b2"
		if _, err := ReadAnswer(test.tool, in, json.RawMessage(test.answer)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v", test.tool, test.answer, err)
		}
	}
}

func TestTakeSteer_NamesShotsAsTheyStood(t *testing.T) {
	in := shot(t)
	in.Instruction = "take out the first two and make shot 3 closer and longer"
	s, err := ReadSteerAnswer(in, recorded(t, "steer"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Calls {
		if in.Plan, _, err = Apply(in.Plan, c); err != nil {
			t.Fatalf("%s %s: %v", c.Tool, c.Params, err)
		}
	}
	if got := in.Plan.Shots; len(got) != 3 || got[0].ID != "s3" || got[0].Size != "extreme_close_up" || got[0].Seconds != 5 ||
		got[0].Description != "The hand stops on the net." || got[1].ID != "s5" || got[1].Subject != "The lamp" {
		t.Errorf("shots: %+v", got)
	}
	if s.Question || s.Reply != "Two shots fewer, and the hand fills the frame." {
		t.Errorf("%+v", s)
	}
}

func TestTakeSteer(t *testing.T) {
	for _, test := range []struct{ name, answer, calls, says string }{
		{"a question", `{"calls":[],"reply":"Which hand?","propose":false,"question":true}`, ``, "Which hand? true"},
		{"a question in words", `{"reply":"Which hand?","question":"True"}`, ``, "Which hand? true"},
		{"a proposal", `{"calls":[{"tool":"modify_shot","params":{"index":1,"seconds":9}},{"tool":"remove_shots","params":{"shots":["s2"]}}],"reply":"Slower.","propose":true}`,
			`propose_edit_plan {"calls":[{"params":{"seconds":9,"shot":"s1"},"tool":"modify_shot"},{"params":{"shots":["s2"]},"tool":"remove_shots"}],"request":"","summary":"Slower."}`, "Slower. false"},
		{"nothing to propose", `{"calls":[{"tool":"confirm_shots","params":{}}],"reply":"","propose":true}`, `confirm_shots {}`, " false"},
		{"what is not there is for Apply", `{"calls":[{"tool":"fly","height":3}],"reply":"Up."}`, `fly {"height":3}`, "Up. false"},
		{"no dialogue", `{"calls":[{"tool":"modify_shot","params":{"shot":"s1","dialogue":""}}],"reply":""}`, `modify_shot {"dialogue":"","shot":"s1"}`, " false"},
		{"all filled in", `{"calls":[{"tool":"modify_shot","params":{"shot":"s1","size":"wide","dialogue":"","subject":"","seconds":0,"shots":[]}}],"reply":""}`, `modify_shot {"shot":"s1","size":"wide"}`, " false"},
		{"a place that is only filled in", `{"calls":[{"tool":"modify_shot","params":{"index":1,"indexes":[0],"size":"wide"}}],"reply":""}`, `modify_shot {"shot":"s1","size":"wide"}`, " false"},
		{"a place beyond the list", `{"calls":[{"tool":"remove_shots","params":{"indexes":[2,9]}}],"reply":""}`, `remove_shots {"indexes":[2,9]}`, " false"},
		{"no tool", `{"calls":[{"params":{}}],"reply":"x"}`, ``, `each entry of "calls" needs a "tool"`},
		{"no object", `"closer"`, ``, "must be a JSON object"},
	} {
		s, err := ReadSteerAnswer(shot(t), json.RawMessage(test.answer))
		said := s.Reply + map[bool]string{true: " true", false: " false"}[s.Question]
		if err != nil {
			said = err.Error()
		}
		var calls []string
		for _, c := range s.Calls {
			calls = append(calls, c.Tool+" "+string(c.Params))
		}
		if got := strings.Join(calls, "; "); got != test.calls || !strings.Contains(said, test.says) {
			t.Errorf("%s: %s | %s", test.name, got, said)
		}
	}
}

func FuzzTake(f *testing.F) {
	for i, tool := range Tools() {
		if tool.Planning {
			f.Add(uint8(i), []byte(recorded(f, tool.Name)))
		}
	}
	f.Add(uint8(200), []byte(recorded(f, "steer")))
	f.Add(uint8(0), []byte(`{"beats":[{"text":1e99,"messages":[1e99,-1,"9999999999999999999"]}]}`))
	f.Add(uint8(4), []byte(`{"order":{"a":[{}]},"fillers":[null,{"after":3,"description":"\u0000"}]}`))
	in, listed := written(f), shot(f)
	in.Beat, in.Instruction = "b2", "w"
	f.Fuzz(func(t *testing.T, pick uint8, answer []byte) {
		if int(pick) >= len(Tools()) {
			s, err := ReadSteerAnswer(listed, answer)
			if err != nil && len(s.Calls) > 0 {
				t.Fatal("calls with an error")
			}
			p := listed.Plan
			for _, c := range s.Calls {
				if next, _, err := Apply(p, c); err == nil {
					p = next
				}
			}
			if err := Check(p); err != nil {
				t.Fatal(err)
			}
			return
		}
		tool := Tools()[pick].Name
		for _, in := range []Input{in, listed} {
			call, err := ReadAnswer(tool, in, answer)
			if (call.Tool == "") != (err != nil) && err == nil {
				t.Fatal("neither a call nor a word about it")
			}
			if call.Tool == "" {
				continue
			}
			p, _, err := Apply(in.Plan, call)
			if err != nil {
				t.Fatalf("cannot be carried out: %v\n%s", err, call.Params)
			}
			if err := Check(p); err != nil {
				t.Fatalf("%v\n%s", err, call.Params)
			}
		}
	})
}
