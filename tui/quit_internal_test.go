package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The program quits once every change that was asked for is stored.
func TestQuit_WaitsForChanges(t *testing.T) {
	t.Parallel()
	a := &app{pending: 1, leaving: true}
	quits := func(cmd tea.Cmd) bool {
		if cmd == nil {
			return false
		}
		_, ok := cmd().(tea.QuitMsg)
		return ok
	}
	if a.canQuit() {
		t.Error("it quits while a change is pending")
	}
	if a.Pending(-1); !a.canQuit() {
		t.Error("it does not quit when all is stored")
	}
	var _ widget.Counter = a
	a.leaving, a.pending = true, 3
	if !quits(a.quit()) {
		t.Error("the second key does not quit at once")
	}
}
