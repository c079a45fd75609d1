package coverage_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if w = strings.Trim(w, ","); len(w) > 3 || w[0] < 'a' {
			set[w] = true
		}
	}
	return set
}

func TestFacts(t *testing.T) {
	f := coverage.Of([]string{"The lantern hangs above the door", "The *oath* was sworn.", "Robin owes twelve silver coins"}, words)
	for _, tt := range []struct {
		name string
		says coverage.Statement
		want []int
	}{
		{"named and told", coverage.Statement{Text: "A lantern hangs there, above all", Numbers: []int{1}}, []int{1}},
		{"named and not told", coverage.Statement{Text: "The lantern is gone", Numbers: []int{1, 2}}, nil},
		{"told and not named", coverage.Statement{Text: "Twelve silver coins are what Robin still owes to Mara"}, []int{3}},
		{"the same in other dress", coverage.Statement{Text: "- the oath was sworn"}, []int{2}},
		{"invented", coverage.Statement{Text: "Wolves howl in the hills", Numbers: []int{9, 0, -1}}, nil},
	} {
		if got := f.RestsOn(tt.says); !cmp.Equal(tt.want, got) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	// Two facts in the same words are told apart by their names and numbers.
	alike := coverage.Of([]string{"Mallet has found the chart near Tolven", "Mallet has found the chart near Hennick", "There are 12 coins hidden below", "There are 30 coins hidden below"}, words)
	for says, want := range map[string][]int{"Mallet found a chart near Tolven": {1}, "There are 30 coins, hidden below": {4}} {
		if got := alike.RestsOn(coverage.Statement{Text: says, Numbers: []int{1, 2}}); !cmp.Equal(want, got[len(got)-1:]) {
			t.Errorf("%s: %v", says, got)
		}
		if got := alike.RestsOn(coverage.Statement{Text: says}); !cmp.Equal(want, got) {
			t.Errorf("%s: %v", says, got)
		}
	}
	why, missing := f.Account([]int{2}, map[int]string{2: "told all the same", 3: "it is paid"}, nil, nil)
	if d := cmp.Diff(map[int]string{3: "it is paid"}, why) + cmp.Diff([]int{1}, missing); d != "" {
		t.Error(d)
	}
	why, missing = f.Account(nil, nil, func(n int) bool { return n == 1 }, func(n int) string { return map[int]string{1: "no", 3: "older"}[n] })
	if d := cmp.Diff(map[int]string{3: "older"}, why) + cmp.Diff([]int{2}, missing); d != "" {
		t.Error(d)
	}
}

func TestComplain(t *testing.T) {
	if coverage.Complain(nil, "facts", "from") != nil {
		t.Error("nothing is missing")
	}
	if err := coverage.Complain([]int{2, 7}, "facts", "from"); !strings.Contains(err.Error(), `: [2] [7]. Write each into "facts" with its number in "from", or name it in "dropped"`) {
		t.Error(err)
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
