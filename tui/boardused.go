package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/storage"
)

// openUsed shows the calls that made a storyboard, one at a time from the newest one
// of the model, and what of the user's taste was told for each.
func (p *boardPane) openUsed(a *app) tea.Cmd {
	chat, node := p.chat, p.node
	return a.do(func() func() tea.Cmd {
		calls, err := a.eng.BoardCalls(chat, node)
		at := len(calls) - 1
		for i := range calls {
			calls[i].After = storage.Plan{} // it is not shown, and there may be very much of it
			if calls[i].By != storage.ByUser {
				at = i
			}
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.fail(err)
			case len(calls) == 0:
				return a.say(engine.Info, "nothing was planned here yet")
			}
			a.dialogs.open(&leaves{of: len(calls), leaf: at,
				title: func(i int) string { return fmt.Sprintf("What was used · call %d of %d", i+1, len(calls)) },
				lay:   func(i, w int, lk *look) []string { return usedLines(&calls[i], w, lk) }})
			return nil
		}
	})
}

// callers are who made a call, in words.
var callers = map[storage.CallBy]string{storage.ByUser: "by you", storage.ByModel: "by the model", storage.BySteer: "by the model, for your line"}

// usedLines are the lines about a call.
func usedLines(c *storage.BoardCall, w int, lk *look) []string {
	t := loreSheet{w: max(1, w)}
	t.add(lk.strong, joined(toolWords(c.Tool), callers[c.By], since(c.At)))
	if c.Text != "" {
		t.hang(lk.dim.Styled("you: "), lk.base, within(c.Text, 600))
	}
	t.add(lk.dim, callWords(c.ToolCall, 600))
	t.blank()
	switch {
	case c.By == storage.ByUser:
		t.add(lk.dim, "This was done by hand, so no model was told anything.")
	case c.Used == nil || strings.TrimSpace(c.Used.Block) == "":
		t.add(lk.dim, "Nothing learnt was told for this: there was no profile of how you direct, or it is switched off.")
	default:
		t.add(lk.dim, "Told of how you direct ("+plural(len(c.Used.Cards), "card")+"):")
		t.blank()
		t.add(lk.base, c.Used.Block)
	}
	return t.lines
}
