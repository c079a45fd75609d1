package storyboard

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func call(tool, params string) storage.ToolCall {
	return storage.ToolCall{Tool: tool, Params: json.RawMessage(params)}
}

// five returns a list of s1 to s5 of two beats.
func five(t *testing.T) storage.Plan {
	t.Helper()
	return after(t, storage.Plan{}, call(ImportBoard, `{"beats":[{"id":"b1","text":"She comes in"},{"id":"b2","text":"He sees the letter"}],"shots":[
		{"beat":"b1","kind":"key","size":"wide","description":"The hall","seconds":4},
		{"beat":"b1","kind":"filler","description":"A coat","seconds":2,"dialogue":"Well."},
		{"beat":"b2","kind":"key","size":"cu","description":"The letter","seconds":3},
		{"beat":"b2","kind":"filler","angle":"low","description":"His hand","dialogue":"No."},
		{"kind":"filler","description":"Rain"}]}`))
}

func after(t *testing.T, p storage.Plan, calls ...storage.ToolCall) storage.Plan {
	t.Helper()
	for _, c := range calls {
		next, _, err := Apply(p, c)
		if err != nil {
			t.Fatalf("%s %s: %v", c.Tool, c.Params, err)
		}
		if err := Check(next); err != nil {
			t.Fatalf("%s %s: %v", c.Tool, c.Params, err)
		}
		p = next
	}
	return p
}

func order(p storage.Plan) string {
	var ids []string
	for _, s := range p.Shots {
		ids = append(ids, string(s.ID))
	}
	return strings.Join(ids, " ")
}

func TestOrderOfShots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, params, want string }{
		{InsertShot, `{"description":"x"}`, "s1 s2 s3 s4 s5 s6"},
		{InsertShot, `{"after":"s2","shots":[{"description":"x"},{"description":"y"}]}`, "s1 s2 s6 s7 s3 s4 s5"},
		{InsertShot, `{"before":"S2","shot":{"description":"x"}}`, "s1 s6 s2 s3 s4 s5"},
		{InsertShot, `{"index":"1","after":"","description":"x"}`, "s6 s1 s2 s3 s4 s5"},
		{InsertShot, `{"index":6,"description":"x"}`, "s1 s2 s3 s4 s5 s6"},
		{RemoveShots, `{"shots":["s2","4"]}`, "s1 s3 s5"},
		{RemoveShots, `{"indexes":[1,2,2]}`, "s3 s4 s5"},
		{RemoveShots, `{"index":5}`, "s1 s2 s3 s4"},
		{RemoveShots, `{"shots":"Shots 1, s2 and #3"}`, "s4 s5"},
		{ReorderShots, `{"shot":"s4","to":1}`, "s4 s1 s2 s3 s5"},
		{ReorderShots, `{"index":1,"to":"5"}`, "s2 s3 s4 s5 s1"},
		{ReorderShots, `{"shot":"s1","before":"s4"}`, "s2 s3 s1 s4 s5"},
		{ReorderShots, `{"shot":"s5","after":"s1","to":0}`, "s1 s5 s2 s3 s4"},
		{ReorderShots, `{"shots":["s4","s2"],"after":"s5"}`, "s1 s3 s5 s4 s2"},
		{ReorderShots, `{"shots":["s1","s2"],"to":5}`, "s3 s4 s5 s1 s2"},
		{ReorderShots, `{"order":["s5","s4","s3","s2","s1"]}`, "s5 s4 s3 s2 s1"},
		{ReorderShots, `{"order":["s4","s2"]}`, "s1 s4 s3 s2 s5"},
		{ReorderShots, `{"shot":"s2","after":"s2"}`, "s1 s2 s3 s4 s5"},
		{MergeShots, `{"shots":["s2","s4"]}`, "s1 s2 s3 s5"},
		{MergeShots, `{"shots":["s2"],"into":"s4"}`, "s1 s3 s4 s5"},
		{MergeShots, `{"indexes":[1,2,3,4,5]}`, "s1"},
	} {
		p := after(t, five(t), call(c.tool, c.params))
		if got := order(p); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.params, got, c.want)
		}
	}
}

func TestCallsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, params, want string }{
		{"paint", `{}`, "no tool"},
		{ModifyShot, `[]`, "JSON object"},
		{ModifyShot, `{"shot":"s1"`, "not JSON"},
		{ModifyShot, `{} {}`, "more than one"},
		{ModifyShot, `{"shot":"s1","size":"wide"}]`, "more than one"},
		{ModifyShot, `{"index":2000000,"size":"wide"}`, "from 1 to 300"},
		{ModifyShot, `{"size":"wide"}`, "no shot is named"},
		{ModifyShot, `{"shot":"s1"}`, "no change is given"},
		{ModifyShot, `{"shot":"s9","size":"wide"}`, "no shot s9; there are s1, s2"},
		{ModifyShot, `{"index":6,"size":"wide"}`, "the list has 5"},
		{ModifyShot, `{"index":1.5,"size":"wide"}`, "whole number"},
		{ModifyShot, `{"shots":["s1","s2"],"size":"wide"}`, `the field "shot" is ["s1","s2"], but must be text`},
		{ModifyShot, `{"shot":"s1","description":" \n"}`, "no change is given"},
		{ModifyShot, `{"shot":"s1","seconds":-1}`, `the field "seconds" is -1, but must be a number from 0 to 600`},
		{ModifyShot, `{"shot":"s1","seconds":1e999}`, "not JSON"},
		{ModifyShot, `{"shots":[{"description":"x"}]}`, "no shot is named"},
		{ModifyShot, `{"shot":"s1","kind":"odd"}`, `"odd", but must be one of: key, filler`},
		{ModifyShot, `{"shot":"s1","beat":"b7"}`, "there are b1, b2"},
		{ModifyShot, `{"shot":"s1","size":{}}`, "must be text"},
		{ModifyShot, `{"shot":"s1","subject":"` + strings.Repeat("x", 201) + `"}`, "201 characters"},
		{InsertShot, `{"size":"wide"}`, `the field "description" of item 1 of "shots" is missing`},
		{InsertShot, `{"before":"s1","after":"s3","description":"x"}`, "cannot be combined"},
		{InsertShot, `{"shots":[{"description":"x"},7]}`, `item 2 of "shots" is 7, but must be an object`},
		{RemoveShots, `{}`, "no shot is named"},
		{ReorderShots, `{"shot":"s1"}`, "give the new position"},
		{MergeShots, `{"shots":["s1"]}`, "two shots"},
		{ExecuteEdit, `{}`, "no edit plan"},
		{ProposeEdit, `{"calls":[{"tool":"confirm_shots"}]}`, `"confirm_shots", but must be one of: modify_shot`},
		{ProposeEdit, `{"calls":[{"tool":"remove_shots","params":{"shots":["s9"]}}]}`, "no shot s9"},
		{GenerateShots, `{}`, "comes first"},
		{GeneratePackage, `{"beat":"b1","shots":[]}`, "a list of 1 to 80 items"},
		{GeneratePackage, `{"shots":[{"description":"x"}]}`, `the field "beat" is missing`},
		{RecommendFiller, `{"amount":"purple"}`, `"purple", but must be one of: none, light`},
		{BudgetPackages, `{"budget":[{"beat":"b1","key":-1}]}`, "from 0"},
		{BudgetPackages, `{"budget":[{"beat":"b1","key":1},{"beat":"b1","key":1}]}`, "entry 2: beat b1 already has"},
		{RecommendBeats, `{"beats":[]}`, "a list of 1 to 60 items"},
		{ImportBoard, `{"shots":[]}`, "neither beats nor shots"},
	} {
		p := five(t)
		next, _, err := Apply(p, call(c.tool, c.params))
		if !errors.Is(err, ErrCall) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.80s: %v, want %q", c.tool, c.params, err, c.want)
		}
		if !reflect.DeepEqual(next, p) {
			t.Errorf("%s %.80s: the plan has changed", c.tool, c.params)
		}
	}
	if _, _, err := Apply(storage.Plan{}, call(ConfirmShots, "")); err == nil || !strings.Contains(err.Error(), "no shots") {
		t.Error("an empty storyboard was confirmed:", err)
	}
}

func TestModifyChangesOnlyWhatIsNamed(t *testing.T) {
	t.Parallel()
	was := five(t)
	p, out, err := Apply(was, call(ModifyShot, `{"index":"4","size":"Extreme close-up","seconds":"3.5s","beat":"1","dialogue":""}`))
	if err != nil {
		t.Fatal(err)
	}
	want := was.Shots[3]
	want.Size, want.Seconds, want.Beat, want.Dialogue = "extreme_close_up", 3.5, "b1", ""
	if p.Shots[3] != want {
		t.Errorf("%+v, want %+v", p.Shots[3], want)
	}
	if !slices.Equal(out.Shots, []storage.ShotID{"s4"}) || !strings.Contains(out.Message, "size") {
		t.Errorf("%+v", out)
	}
	p.Shots[3] = was.Shots[3]
	if !reflect.DeepEqual(p, was) {
		t.Error("more has changed than the shot")
	}
}

func TestMergeJoins(t *testing.T) {
	t.Parallel()
	p := after(t, five(t), call(MergeShots, `{"shots":["s4","s2","s1"],"into":"s2"}`))
	want := storage.Shot{ID: "s2", Beat: "b1", Kind: storage.KeyShot, Size: "wide", Angle: "low",
		Description: "The hall A coat His hand", Seconds: 6, Dialogue: "Well.\nNo."}
	if p.Shots[0] != want {
		t.Errorf("%+v", p.Shots[0])
	}
	p = after(t, five(t), call(MergeShots, `{"shots":["s1","s2"],"description":"Hall and coat","seconds":5,"dialogue":""}`))
	if s := p.Shots[0]; s.Description != "Hall and coat" || s.Seconds != 5 || s.Dialogue != "Well." {
		t.Errorf("%+v", s)
	}
}

func TestStagesOfAPlan(t *testing.T) {
	t.Parallel()
	var p storage.Plan
	for _, c := range []struct {
		tool, params string
		want         storage.BoardStage
	}{
		{RecommendBeats, `{"beats":[{"text":"She comes in","messages":["m1","m1"]},{"text":"He sees it"}]}`, storage.BoardBeats},
		{RecommendFiller, `{"amount":"Medium","jobs":["Reaction shot","insert"]}`, storage.BoardFiller},
		{BudgetPackages, `{"budget":[{"beat":"b2","key":1,"filler":1,"seconds":9},{"beat":"b1","key":1,"filler":0,"seconds":"4s"}]}`, storage.BoardBudget},
		{GeneratePackage, `{"beat":"b2","shots":[{"kind":"key","description":"c"},{"kind":"filler","description":"d"}]}`, storage.BoardBudget},
		{GeneratePackage, `{"beat":"b1","shots":[{"description":"a"}]}`, storage.BoardBudget},
		{GenerateShots, `{"order":["s3","s1"],"fillers":[{"after":"s1","description":"e"},{"after":"s1","description":"f"},{"before":"s3","description":"g"}]}`, storage.BoardShots},
		{ConfirmShots, ``, storage.BoardReady},
		{ModifyShot, `{"shot":"s1","size":"ws"}`, storage.BoardReady},
		{RemoveShots, `{"shots":["s1","s2","s3","s4","s5"]}`, storage.BoardReady},
		{RemoveShots, `{"shots":["s6"]}`, storage.BoardBudget},
	} {
		p = after(t, p, call(c.tool, c.params))
		if p.Stage != c.want {
			t.Fatalf("%s: stage %q, want %q", c.tool, p.Stage, c.want)
		}
		if c.tool == GenerateShots && order(p) != "s6 s3 s1 s4 s5 s2" {
			t.Fatalf("order %s", order(p))
		}
	}
	if p.Filler.Amount != "medium" || !slices.Equal(p.Filler.Jobs, []string{"reaction", "physical_detail"}) || p.Budget[0].Beat != "b1" {
		t.Errorf("%+v %+v", p.Filler, p.Budget)
	}
}

func TestShotsOfOneBeatAnew(t *testing.T) {
	t.Parallel()
	p := after(t, five(t), call(ConfirmShots, ""),
		call(GeneratePackage, `{"beat":"b1","shots":[{"description":"new"}]}`), call(GenerateShots, ""))
	if order(p) != "s6 s3 s4 s5" || p.Stage != storage.BoardShots || p.Packages != nil {
		t.Errorf("%s at %s", order(p), p.Stage)
	}
	p = after(t, p, call(GeneratePackage, `{"beat":"b2","shots":[{"description":"two"}]}`),
		call(GeneratePackage, `{"beat":"b1","shots":[{"description":"one"}]}`), call(GenerateShots, ""))
	if order(p) != "s8 s7" {
		t.Error("where every beat has new shots they are all there is:", order(p))
	}
}

func TestBeatsThatStay(t *testing.T) {
	t.Parallel()
	p := after(t, five(t),
		call(BudgetPackages, `{"budget":[{"beat":"b1","key":1},{"beat":"b2","key":2}]}`),
		call(GeneratePackage, `{"beat":"b1","shots":[{"description":"x"}]}`),
		call(RecommendBeats, `{"beats":[{"text":"New","id":"b9"},{"text":"Letter, again","id":"b2"},{"text":"Twice","id":"b2"}]}`))
	var ids []string
	for _, b := range p.Beats {
		ids = append(ids, string(b.ID))
	}
	if got := strings.Join(ids, " "); got != "b3 b2 b4" {
		t.Error(got)
	}
	if len(p.Budget) != 1 || p.Budget[0].Beat != "b2" || len(p.Packages) != 0 || p.Shots[0].Beat != "" || p.Shots[2].Beat != "b2" {
		t.Errorf("%+v", p)
	}
}

func TestEditPlan(t *testing.T) {
	t.Parallel()
	was := five(t)
	p, out, err := Apply(was, call(ProposeEdit, `{"request":"tighter","summary":"Closer, and less rain.","calls":[
		{"tool":"remove_shots","params":{"indexes":[1]}},
		{"tool":"modify_shot","params":{"index":1,"size":"cu"}},
		{"tool":"modify_shot","params":{"shot":"s1","size":"cu"}},
		{"tool":"insert_shot","params":{"after":"s5","description":"Thunder"}},
		{"tool":"modify_shot","params":{"shot":"s6","size":"cu"}},
		{"tool":"modify_shot","params":{"index":3,"size":"wide"}}]}`))
	if err != nil || !reflect.DeepEqual(p.Shots, was.Shots) || len(p.Proposal.Calls) != 4 {
		t.Fatalf("a proposal changes nothing yet: %v", err)
	}
	if !strings.Contains(out.Message, "Left out: modify_shot: there is no shot s1") || !strings.Contains(out.Message, "s6 is not there yet") {
		t.Errorf("%q", out.Message)
	}
	// What is done to the list meanwhile must not make the calls hit other shots.
	p = after(t, p, call(RemoveShots, `{"shots":["s4"]}`), call(InsertShot, `{"index":1,"description":"the user's own"}`))
	p, out, err = Apply(p, call(ExecuteEdit, ""))
	if err != nil {
		t.Fatal(err)
	}
	if order(p) != "s6 s2 s3 s5 s7" || p.Shots[1].Size != "close_up" || p.Shots[0].Size+p.Shots[2].Size+p.Shots[3].Size != was.Shots[2].Size+was.Shots[4].Size || p.Proposal != nil {
		t.Errorf("%s %+v", order(p), p.Shots)
	}
	if !strings.Contains(out.Message, "Left out: modify_shot: there is no shot s4") || !slices.Equal(out.Shots, []storage.ShotID{"s1", "s2", "s7"}) {
		t.Errorf("%+v", out)
	}
}

// A proposal goes also where other changes have come after it, and where nothing of
// it could be carried out any more.
func TestEditPlan_Dropped(t *testing.T) {
	t.Parallel()
	was := after(t, five(t), call(ProposeEdit, `{"calls":[{"tool":"modify_shot","params":{"shot":"s1","size":"cu"}}]}`), call(RemoveShots, `{"shot":"s1"}`))
	if _, _, err := Apply(was, call(ExecuteEdit, "")); err == nil {
		t.Error("it was carried out")
	}
	p, out, err := Apply(was, call(ExecuteEdit, `{"drop":true}`))
	if err != nil || p.Proposal != nil || order(p) != order(was) || out.Message != "The edit plan is dropped." {
		t.Errorf("%+v %+v %v", p.Proposal, out, err)
	}
	if _, _, err := Apply(p, call(ExecuteEdit, `{"drop":true}`)); err == nil {
		t.Error("it was dropped twice")
	}
}

func TestImportKeepsWhatCanOnlyBeTheSame(t *testing.T) {
	t.Parallel()
	p := after(t, five(t), call(RemoveShots, `{"shot":"s2"}`), call(ImportBoard, `{"shots":[
		{"id":"s3","description":"as it was","beat":"b8"},{"id":"s2","description":"was removed"},{"id":"s3","description":"twice"},
		{"id":"s20","description":"never given"},{"id":"s9999999","description":"far"},{"id":"x","description":"odd"}]}`))
	if got := order(p); got != "s3 s21 s22 s20 s23 s24" {
		t.Error(got)
	}
	_, _, err := Apply(p, call(ImportBoard, `{"beats":[{"text":"one"}],"shots":[{"description":"a"},{"beat":"b8","description":"b"}]}`))
	if err == nil || !strings.Contains(err.Error(), `shots: entry 2: the file has no beat "b8"`) {
		t.Error(err)
	}
}
