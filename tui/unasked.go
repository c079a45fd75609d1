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

// unasked is the dialog that came up by itself last.
type unasked struct {
	dialog widget.Dialog
	since  time.Time
	wait   time.Duration // unaskedTime, or none where keys come from a script
}

// Unasked implements desk.Desk.
func (a *app) Unasked() {
	if d := a.dialogs.Top(); d != nil {
		a.unasked.dialog, a.unasked.since = d, time.Now()
	}
}

// early tells whether what the user does now was not meant for a dialog.
func (u *unasked) early(d widget.Dialog, now time.Time) bool {
	if u.dialog != d || u.dialog == nil {
		return false
	}
	if now.Sub(u.since) < u.wait {
		return true
	}
	u.dialog = nil
	return false
}

// tooSoon takes what the user did in the moment in which a dialog came up by itself.
// What was typed goes on into the line that is being written; all else does nothing.
func (a *app) tooSoon(msg tea.Msg) tea.Cmd {
	if a.mode != keys.Write {
		return nil
	}
	switch m := msg.(type) {
	case tea.PasteMsg:
		return a.Type(m)
	case tea.KeyPressMsg:
		if m.Text != "" {
			return a.Type(m)
		}
	}
	return nil
}
