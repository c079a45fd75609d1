package coverage_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
)

func TestFacts(t *testing.T) {
	f := coverage.Of([]string{"The lantern hangs above the door", "The *oath* was sworn.", "Robin owes twelve silver coins"})
	for _, tt := range []struct {
		name string
		says coverage.Statement
		want []int
	}{
		{"named", coverage.Statement{Text: "A lantern hangs there, above all", Numbers: []int{1}}, []int{1}},
		{"named in other words, and in no order", coverage.Statement{Text: "Light and debts", Numbers: []int{3, 1, 3}}, []int{1, 3}},
		{"not named and in other words", coverage.Statement{Text: "Twelve silver coins are what Robin still owes to Mara"}, nil},
		{"the same in other dress", coverage.Statement{Text: "- the oath was sworn"}, []int{2}},
		{"numbers that no fact has", coverage.Statement{Text: "Wolves howl in the hills", Numbers: []int{9, 0, -1, 2}}, []int{2}},
		{"invented", coverage.Statement{Text: "Wolves howl in the hills", Numbers: []int{9, 0, -1}}, nil},
	} {
		if got := f.RestsOn(tt.says); !cmp.Equal(tt.want, got) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	why, stay := f.Account([]int{2}, map[int]string{2: "told all the same", 3: "it is paid"}, nil)
	if d := cmp.Diff(map[int]string{3: "it is paid"}, why) + cmp.Diff([]int{1}, stay); d != "" {
		t.Error(d)
	}
	why, stay = f.Account(nil, nil, func(n int) bool { return n == 1 })
	if d := cmp.Diff(map[int]string{}, why) + cmp.Diff([]int{2, 3}, stay); d != "" {
		t.Error(d)
	}
}

func TestDropped(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want map[int]string
	}{
		{`[{"fact": 4, "why": "it is paid"}, {"fact": "[5]", "reason": "told twice"}, {"facts": [6, 7], "why": " over\n"}]`, map[int]string{4: "it is paid", 5: "told twice", 6: "over", 7: "over"}},
		{`[{"fact": 4}, {"fact": 5, "why": ""}, {"why": "x"}, 8, "9"]`, map[int]string{}},
		{`"none"`, nil}, {`null`, map[int]string{}}, {``, nil},
	} {
		if got := coverage.Dropped(json.RawMessage(tt.raw)); !cmp.Equal(tt.want, got) {
			t.Errorf("%s: %v", tt.raw, got)
		}
	}
}
