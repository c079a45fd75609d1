package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Hooks that are due come first, and leave room for what is nearer.
func TestShownFacts_DueHooksLeaveRoom(t *testing.T) {
	var list []KnownFact
	var near []Nearness
	for i := range MaxHooks {
		list = append(list, KnownFact{Text: fmt.Sprintf("The keeper %d wants to hear of the storm before the moon is full.", i), Due: true})
		near = append(near, Nearness{})
	}
	list, near = append(list, KnownFact{Text: "Clara sold the boat to Piet."}, KnownFact{Text: "Jon is tired."}), append(near, Nearness{Score: 2}, Nearness{})
	var shown []string
	for _, i := range ShownFacts(list, near, 1200, text.Tokens) {
		shown = append(shown, list[i].Text)
	}
	if len(shown) != MaxHooks+1 || shown[len(shown)-1] != "Clara sold the boat to Piet." || !strings.HasPrefix(shown[0], "The keeper") {
		t.Errorf("%q", shown)
	}
}

// What is nearest comes first, then what is important, then what is new; each is shown whole while
// there is room.
func TestShownFacts_InOrder(t *testing.T) {
	list := []KnownFact{{Text: "old"}, {Text: "new"}, {Text: "important"}, {Text: "nearest"}, {Text: "far"}, {Text: "due by Friday", DueBy: "Friday"}}
	near := []Nearness{{Shared: true, Weight: 0.5, Age: 9}, {Shared: true, Weight: 0.5, Age: 1}, {Shared: true, Weight: 0.9, Age: 9}, {Score: 1, Age: 99}, {Weight: 1}, {}}
	if got := fmt.Sprint(ShownFacts(list, near, 1200, text.Tokens)); got != "[5 3 2 1 0]" {
		t.Error(got)
	}
	list[3].Text = strings.Repeat("long ", 100)
	if got := fmt.Sprint(ShownFacts(list, near, 30, text.Tokens)); got != "[5 2 1 0]" {
		t.Error(got)
	}
	if got := ShownFacts(nil, nil, 1200, text.Tokens); len(got) != 0 {
		t.Error(got)
	}
	if FactsBudget(8192) != 819 || FactsBudget(32768) != 1200 {
		t.Error(FactsBudget(8192), FactsBudget(32768))
	}
}
