package boards

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openUsed shows the calls that made a storyboard, one at a time from the newest one of the model,
// with the taste that was in each request.
func (p *boardPane) openUsed() tea.Cmd {
	chat, node := p.Chat, p.node
	return p.Host.Do(func() func() tea.Cmd {
		calls, err := p.Host.Engine().Boards.Calls(chat, node)
		at := len(calls) - 1
		for i := range calls {
			calls[i].After = storage.Plan{} // it is not shown, and it may be very large
			if calls[i].By != storage.ByUser {
				at = i
			}
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return p.Host.Fail(err)
			case len(calls) == 0:
				return p.Host.Say(event.Info, "nothing has been planned yet")
			}
			p.Host.Open(&widget.Pages{Count: len(calls), At: at,
				Title: func(i int) string { return fmt.Sprintf("Taste profile sent · call %d of %d", i+1, len(calls)) },
				Lay:   func(i, w int, sty *draw.Styles) []string { return usedLines(&calls[i].BoardCall, w, sty) }})
			return nil
		}
	})
}

// callers are the labels of who made a call.
var callers = map[storage.CallBy]string{storage.ByUser: "by you", storage.ByModel: "by the model",
	storage.BySteer: "by the model, from your instruction"}

// usedLines returns the lines about a call.
func usedLines(c *storage.BoardCall, w int, sty *draw.Styles) []string {
	t := draw.Lines{Width: max(1, w)}
	t.Add(sty.Strong, draw.Join(pane.ToolWords(c.Tool), callers[c.By], draw.AgoWords(c.At)))
	if c.Text != "" {
		t.Hang(sty.Dim.Styled("you: "), sty.Base, draw.Truncate(c.Text, 600))
	}
	t.Add(sty.Dim, callText(c.ToolCall, 600))
	t.Blank()
	switch {
	case c.By == storage.ByUser:
		t.Add(sty.Dim, "Manual change, no model was used.")
	case c.Used == nil || strings.TrimSpace(c.Used.Block) == "":
		t.Add(sty.Dim, "No taste profile was used: there was none, or taste is turned off.")
	default:
		t.Add(sty.Dim, "Taste profile sent ("+draw.Plural(len(c.Used.Cards), "card")+"):")
		t.Blank()
		t.Add(sty.Base, c.Used.Block)
	}
	return t.Text
}
