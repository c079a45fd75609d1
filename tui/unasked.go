package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// unaskedTime is for how long no key acts on a dialog that came up by itself: the finger
// was on its way to something else.
const unaskedTime = 250 * time.Millisecond

// early reports whether what the user does now was not meant for a dialog. wait is unaskedTime, or
// none where keys come from a script.
func early(stack *widget.Stack, d widget.Dialog, now time.Time, wait time.Duration) bool {
	since, ok := stack.UnaskedSince(d)
	return ok && now.Sub(since) < wait
}

// isTooSoon takes what the user did in the moment in which a dialog came up by itself.
// What was typed goes on into the line that is being written; all else does nothing.
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
