package coverage_test

import (
	"encoding/json"
	"strings"
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
	why, missing := f.Account([]int{2}, map[int]string{2: "told all the same", 3: "it is paid"}, nil)
	if d := cmp.Diff(map[int]string{3: "it is paid"}, why) + cmp.Diff([]int{1}, missing); d != "" {
		t.Error(d)
	}
	why, missing = f.Account(nil, nil, func(n int) bool { return n == 1 })
	if d := cmp.Diff(map[int]string{}, why) + cmp.Diff([]int{2, 3}, missing); d != "" {
		t.Error(d)
	}
}

func TestComplain(t *testing.T) {
	f := coverage.Of([]string{"Maren waits", `The *sign* says "50 % off"`, strings.Repeat("She counted the planks. ", 9), "Maren's hand is broken"})
	if f.Complain(nil, "facts", "from") != nil {
		t.Error("nothing is missing")
	}
	for _, tt := range []struct {
		missing []int
		want    string
	}{
		{[]int{4}, `Fact 4 ("Maren's hand is broken") is in no line's "bullets" and not in "dropped" with a reason. ` +
			`Add it to a line of "recap" and its number to that line's "bullets", or list it under "dropped" with a reason`},
		{[]int{2, 3}, `Facts 2 ("The *sign* says "50 % off""), 3 ("` + strings.Repeat("She counted the planks. ", 3) + `She cou…") are in no line's "bullets" ` +
			`and not in "dropped" with a reason. Add each to a line of "recap" and its number to that line's "bullets", or list it under "dropped" with a reason`},
	} {
		if err := f.Complain(tt.missing, "recap", "bullets"); err == nil || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
	many := coverage.Of(make([]string, 50))
	var all []int
	for i := range 50 {
		all = append(all, i+1)
	}
	if err := many.Complain(all, "recap", "bullets").Error(); !strings.HasPrefix(err, `Facts 1 (""), 2 ("")`) || !strings.Contains(err, `10 (""), 11, 12, `) || !strings.Contains(err, `39, 40 are in`) {
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
