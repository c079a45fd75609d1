package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// dialogGrace is how long keys do nothing on a dialog that opened by itself: the user was about to
// press a key for something else.
const dialogGrace = 250 * time.Millisecond

// isWithinGrace reports whether the user's input was not meant for a dialog that opened by itself.
// wait is dialogGrace, or 0 if keys come from a script.
func isWithinGrace(stack *widget.Stack, d widget.Dialog, now time.Time, wait time.Duration) bool {
	since, ok := stack.UnaskedSince(d)
	return ok && now.Sub(since) < wait
}

// isTooSoon handles input in the moment in which a dialog opened by itself. Typed text goes to the
// composer; everything else is ignored.
func (a *app) isTooSoon(msg tea.Msg) tea.Cmd {
	if a.mode != keys.Write {
		return nil
	}
	switch m := msg.(type) {
	case tea.PasteMsg:
		return a.Play().Type(m)
	case tea.KeyPressMsg:
		if m.Text != "" {
			return a.Play().Type(m)
		}
	}
	return nil
}
