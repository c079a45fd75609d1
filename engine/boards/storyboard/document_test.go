package storyboard

import (
	"errors"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{`[{"description":"a"},{"description":"b","renders":["x.png"]}]`, "s1 s2"},
		{"\ufeff" + `{"shots":[{"id":"s4","position":9,"description":"a","beat":"b2"},{"id":"s2","position":1,"description":"b"}]}`, "s4 s2"},
		{`{"ghostlight_storyboard":1,"new":true,"beats":[{"text":"x"}],"shots":[]}`, ""},
	} {
		call, err := Read([]byte(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if strings.Contains(string(call.Params), "png") || strings.Contains(string(call.Params), "position") {
			t.Error("the call carries what a storyboard does not have:", string(call.Params))
		}
		if got := order(after(t, storage.Plan{}, call)); got != c.want {
			t.Errorf("%s: %s", c.file, got)
		}
	}
	for _, c := range []struct{ file, want string }{
		{``, "empty"},
		{"{\n\"shots\": [\n}", "line 3"},
		{"{\"shots\":[", "too early"},
		{"[]\n[]", "line 2"},
		{`7`, "an object or a list"},
		{`{"name":"x"}`, "no shots and no beats"},
		{`{"ghostlight_storyboard":2,"shots":[]}`, "newer"},
		{`{"ghostlight_storyboard":"x","shots":[]}`, "version"},
		{`[]`, "neither"},
		{`[{"description":"a"},{"description":"b","seconds":900}]`, `the field "seconds" of item 2 of "shots" is 900, but must be a number from 0 to 600`},
		{`{"beats":[{"text":"x"}],"shots":[{"description":"a","beat":"b2"}]}`, "no beat"},
		{`{"shots":[{"description":"a"}],"filler":{"amount":"odd"}}`, `the field "filler.amount" is "odd", but must be one of`},
		{`{"shots":[{"description":"a"}],"filler":"light"}`, `the field "filler" is "light", but must be an object`},
	} {
		if _, err := Read([]byte(c.file)); !errors.Is(err, ErrCall) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
}

func TestCheckFindsWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*storage.Plan){
		"id twice":     func(p *storage.Plan) { p.Shots[1].ID = "s1" },
		"id not given": func(p *storage.Plan) { p.Shots[1].ID = "s9" },
		"id of a form": func(p *storage.Plan) { p.Shots[1].ID = "s01" },
		"beat":         func(p *storage.Plan) { p.Shots[1].Beat = "b7" },
		"beat twice":   func(p *storage.Plan) { p.Beats[1].ID = "b1" },
		"kind":         func(p *storage.Plan) { p.Shots[1].Kind = "" },
		"seconds":      func(p *storage.Plan) { p.Shots[1].Seconds = -1 },
		"description":  func(p *storage.Plan) { p.Shots[1].Description = "" },
		"stage":        func(p *storage.Plan) { p.Stage = storage.BoardBudget },
		"budget":       func(p *storage.Plan) { p.Budget = []storage.Allotment{{Beat: "b4"}} },
		"package":      func(p *storage.Plan) { p.Packages = []storage.BeatPackage{{Beat: "b1", Shots: p.Shots[:1]}} },
		"proposal":     func(p *storage.Plan) { p.Proposal = &storage.EditPlan{Calls: []storage.ToolCall{{Tool: ImportBoard}}} },
		"filler":       func(p *storage.Plan) { p.Filler = &storage.FillerStrategy{Amount: "odd"} },
	} {
		p := five(t)
		if spoil(&p); !errors.Is(Check(p), ErrCall) {
			t.Errorf("%s: %v", name, Check(p))
		}
	}
}

func TestMarkdownIsDefused(t *testing.T) {
	t.Parallel()
	p := after(t, five(t),
		call(RecommendFiller, `{"amount":"light","jobs":["reaction"],"where":"after <b>each</b>"}`),
		call(BudgetPackages, `{"budget":[{"beat":"b1","key":1,"filler":2,"seconds":9}]}`),
		call(ModifyShot, `{"shot":"s1","description":"<script>x</script> | a [link](javascript:x)\n# no heading\n1. no list\n- no item","dialogue":"A & *B*\n| C"}`))
	page := Markdown("A <i>scene</i>", p)
	for _, bad := range []string{"<script", "<i>", "<b>", "[link]", "\n# no", "\n1. ", "\n- no", " *B*", "> | C"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	for _, want := range []string{"# Storyboard: A &lt;i&gt;scene", "5 shots (2 key, 3 filler) · 9 seconds", "### b1 · She comes in", "### b2 · He sees",
		"- Size: Close-up", "| b1 | She comes in |  | 1 | 2 | 9 |", "> A &amp; \\*B\\*\\\n> \\| C", "- Amount: light", "- For: Reaction"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
}
