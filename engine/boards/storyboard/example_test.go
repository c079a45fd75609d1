package storyboard

import (
	"fmt"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/exampletest"
)

// Each prompt's example is an answer that the program takes and can carry out.
func TestAsk_Examples(t *testing.T) {
	written := harbour()
	for _, c := range []string{
		`{"beat":"b1","shots":[{"kind":"key","description":"Robin sits."},{"kind":"filler","description":"Rain."}]}`,
		`{"beat":"b2","shots":[{"kind":"key","description":"Tove reads."}]}`,
	} {
		written.Plan = apply(t, written.Plan, GeneratePackage, c)
	}
	long := shot(t)
	for i := range 6 {
		long.Plan = apply(t, long.Plan, InsertShot, fmt.Sprintf(`{"size":"wide","description":"The loft, %d."}`, i))
	}
	for tool, in := range map[string]Input{
		RecommendBeats: harbour(), RecommendFiller: harbour(), BudgetPackages: harbour(), GeneratePackage: harbour(),
		GenerateShots: written, ProposeEdit: long,
	} {
		in.Beat = "b1"
		for _, example := range exampletest.Of(t, whole(Ask(nil, tool, in))) {
			exampletest.Keeps(t, Schema(tool, in), example)
			if _, err := ReadAnswer(tool, in, example); err != nil {
				t.Errorf("%s: %v\n%s", tool, err, example)
			}
		}
	}
	for _, example := range exampletest.Of(t, whole(Steer(nil, long, false))) {
		exampletest.Keeps(t, SteerSchema(long), example)
		s, err := ReadSteerAnswer(long, example)
		if err != nil || len(s.Calls) != 1 {
			t.Fatalf("%+v, %v:\n%s", s, err, example)
		}
		if _, _, err := Apply(long.Plan, s.Calls[0]); err != nil {
			t.Errorf("%v:\n%s", err, example)
		}
	}
}
