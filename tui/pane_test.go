package tui

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// The line below a pane is kept from frame to frame; it is another one as soon as the
// pane has others to name, also in a list that it uses again.
func TestPaneFoot_FollowsTheHints(t *testing.T) {
	km, errs := Keys(map[string][]string{"pane-edit": {"ctrl+e"}, "pane-copy": nil})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var f paneFoot
	hints := []pane.Hint{{Action: keys.PaneEdit, Text: "edit"}, {Action: keys.PaneCopy, Text: "copy"}, {Text: "2 selected"}}
	for range 2 {
		if got, want := f.of(hints, km, 80, 1)[0], "^E edit · 2 selected · ? keys"; got != want {
			t.Errorf("the foot is %q, want %q", got, want)
		}
	}
	hints[2].Text = "3 marked"
	if got, want := f.of(hints, km, 80, 1)[0], "^E edit · 3 marked · ? keys"; got != want {
		t.Errorf("with another mark the foot is %q, want %q", got, want)
	}
	if got, want := f.of(hints, km, 22, 1)[0], "^E edit · ? keys"; got != want {
		t.Errorf("in a narrow pane the foot is %q, want %q", got, want)
	}
	if got := f.of(nil, km, 80, 1); len(got) != 1 || got[0] != "? keys" {
		t.Errorf("of no hints the foot is %q", got)
	}
}
