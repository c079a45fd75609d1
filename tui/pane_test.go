package tui

import (
	"testing"

	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// The line below a pane is kept from frame to frame; it is another one as soon as the
// pane has others to name, also in a list that it uses again.
func TestPaneFoot_FollowsTheHints(t *testing.T) {
	km, errs := Keys(map[string][]string{"pane-edit": {"ctrl+e"}, "pane-copy": nil})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var f paneFoot
	hints := []desk.Hint{desk.NewHint(keys.PaneEdit, "edit"), desk.NewHint(keys.PaneCopy, "copy"), desk.NewHint("", "2 marked")}
	for range 2 {
		if got, want := f.of(hints, km), "^E edit · 2 marked"; got != want {
			t.Errorf("the foot is %q, want %q", got, want)
		}
	}
	hints[2].Words = "3 marked"
	if got, want := f.of(hints, km), "^E edit · 3 marked"; got != want {
		t.Errorf("with another mark the foot is %q, want %q", got, want)
	}
	if got := f.of(nil, km); got != "" {
		t.Errorf("of no hints the foot is %q", got)
	}
}
