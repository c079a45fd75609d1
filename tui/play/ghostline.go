package play

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// ghostLine is a line of the user that the model writes. The composer's text is its outline. It is
// put aside when the first word arrives, and never lost: it is kept with the sent texts, and a key
// restores it.
type ghostLine struct {
	outline string
	since   time.Time
	on      bool   // it is being written, or requested
	came    bool   // its first word has arrived
	dropped bool   // the user does not want it any more
	line    string // the composer's text at its end
	text    string // that came
}

// hasSuggestion reports whether a line is being written for the user.
func (c *composer) hasSuggestion() bool { return c != nil && c.ghost != nil && c.ghost.on }

// askLine has the model write the user's line, based on the composer's text.
func (c *composer) askLine() tea.Cmd {
	r, chat := c.part, c.part.view.Chat.ID
	g := &ghostLine{outline: c.in.Value(), since: time.Now(), on: true}
	if draw.Blank(g.outline) {
		g.outline = ""
	}
	c.ghost = g
	r.screen.SetMode(keys.Write)
	return tea.Batch(r.host.Work().Tick(), r.host.Do(func() func() tea.Cmd {
		err := r.host.Engine().Play.Impersonate(chat, g.outline)
		return func() tea.Cmd {
			if err != nil {
				g.on = false
				return r.host.Fail(err)
			}
			if g.dropped { // before it began
				r.host.Engine().Play.Stop(chat)
			}
			return nil
		}
	}))
}

// appendSuggested appends text of the line to the composer.
func (c *composer) appendSuggested(ev play.LineSuggested) tea.Cmd {
	g, r := c.ghost, c.part
	if ev.Chat != r.view.Chat.ID || g == nil || !g.on {
		return nil
	}
	if ev.Text != "" && !g.came {
		g.came = true
		if text := c.in.Value(); !draw.Blank(text) {
			g.outline = text // the user may have continued it meanwhile
			c.remember(text)
		}
		c.in.Set("")
	}
	cmd := tea.Batch(c.removeSuggested(ev.At), r.insert(ev.Text))
	if g.text += ev.Text; !ev.Finished {
		return cmd
	}
	g.on, g.line, r.ended = false, c.in.Value(), time.Now()
	cmd = tea.Batch(cmd, c.edited())
	switch {
	case errors.Is(ev.Err, failure.ErrStopped):
		return tea.Batch(cmd, r.host.Say(event.Info, "stopped"))
	case ev.Err != nil:
		return tea.Batch(cmd, r.host.Fail(ev.Err))
	case len(ev.Rejected) > 0:
		return tea.Batch(cmd, r.host.Say(event.Info, rejectedWords(ev.Rejected)))
	case g.came && g.outline != "":
		return tea.Batch(cmd, r.host.Say(event.Info, r.host.Keys().Key(keys.ToBrowse, keys.Write)+
			" restores your outline"))
	}
	return cmd
}

// removeSuggested removes the text of the line from byte at on, unless the user has edited it.
func (c *composer) removeSuggested(at int) tea.Cmd {
	g := c.ghost
	if at >= len(g.text) {
		return nil
	}
	gone := g.text[at:]
	g.text = g.text[:at]
	text := c.in.Value()
	from := strings.LastIndex(text, gone)
	if from < 0 {
		return nil
	}
	c.in.Area.Replace(from, from+len(gone), "")
	return c.edited()
}

// stopLine stops the line that is being written, and keeps the text so far.
func (c *composer) stopLine() tea.Cmd { return c.ghost.stop(c.part) }

func (g *ghostLine) stop(r *Part) tea.Cmd {
	chat := r.view.Chat.ID
	if !g.came {
		g.on, g.dropped, r.ended = false, true, time.Now()
	}
	return r.host.Do(func() func() tea.Cmd {
		r.host.Engine().Play.Stop(chat)
		return nil
	})
}

// outlineBack restores the outline in place of the line made from it, while the line is being
// written or is unchanged. It reports whether there was one.
func (c *composer) outlineBack() (tea.Cmd, bool) {
	g, r := c.ghost, c.part
	if g == nil || r.host.Mode() != keys.Write || !g.on && (g.outline == "" || !g.came || c.in.Value() != g.line) {
		return nil, false
	}
	c.ghost = nil
	var stop tea.Cmd
	if g.on {
		stop = g.stop(r)
		g.on, g.dropped = false, true
	}
	if !g.came {
		return tea.Batch(stop, r.host.Say(event.Info, "stopped")), true
	}
	words := "stopped"
	if line := c.in.Value(); !draw.Blank(line) {
		c.remember(line)
		words = r.host.Keys().Key(keys.OlderSent, keys.Write) + " restores your message"
	}
	c.in.Set(g.outline)
	return tea.Batch(stop, c.edited(), r.host.Say(event.Info, words)), true
}
