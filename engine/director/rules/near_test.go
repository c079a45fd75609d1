package rules

import (
	"fmt"
	"strings"
	"testing"
)

// Hooks that are due come first, and leave room for what is nearer.
func TestRows_DueHooksLeaveRoom(t *testing.T) {
	var list []Listed
	var near []float64
	for i := range 12 {
		list = append(list, Listed{Text: fmt.Sprintf("The keeper %d wants to hear of the storm before the moon is full, and of much else.", i), Due: true})
		near = append(near, 0)
	}
	list, near = append(list, Listed{Text: "Clara sold the boat to Piet."}, Listed{Text: "Jon is tired."}), append(near, 2, 0)
	var shown []string
	for _, r := range Rows(list, near, func(i, j int) bool { return false }) {
		shown = append(shown, list[r[0]].Text)
	}
	if len(shown) < 5 || shown[len(shown)-1] != "Clara sold the boat to Piet." || !strings.HasPrefix(shown[0], "The keeper") {
		t.Errorf("%q", shown)
	}
}

// What says the same is one line, and counts once.
func TestRows_OneForWhatSaysTheSame(t *testing.T) {
	list := []Listed{{Text: "Clara sold the boat."}, {Text: "Clara sold the boat", Due: true}, {Text: "Clara sold the cart."}, {Text: "clara sold the boat"}}
	rows := Rows(list, []float64{4, 1, 3, 2}, func(i, j int) bool { return SameMemory(list[i].Text, list[j].Text) })
	if got := fmt.Sprint(rows); got != "[[1 0 3] [2]]" {
		t.Errorf("%s", got)
	}
	if rows := Rows(nil, nil, nil); len(rows) != 0 {
		t.Errorf("%v", rows)
	}
}
