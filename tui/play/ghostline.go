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

// ghostLine is a line of the user's that the model writes. What stood in the composer is
// its outline, which is put aside as soon as the first word comes, and never lost: it is
// kept with what was sent, and a key brings it back.
type ghostLine struct {
	outline string
	since   time.Time
	on      bool   // it is being written, or asked for
	came    bool   // a word of it came
	dropped bool   // nobody wants it any more
	line    string // as it stood in the composer when it had ended
	text    string // that came
}

// hasSuggestion reports whether a line is being written for the user.
func (c *composer) hasSuggestion() bool { return c != nil && c.ghost != nil && c.ghost.on }

// askLine has the model write the user's line, from what stands in the composer.
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
			if g.dropped { // before it was begun
				r.host.Engine().Play.Stop(chat)
			}
			return nil
		}
	}))
}

// appendSuggested puts more of the line into the composer.
func (c *composer) appendSuggested(ev play.LineSuggested) tea.Cmd {
	g, r := c.ghost, c.part
	if ev.Chat != r.view.Chat.ID || g == nil || !g.on {
		return nil
	}
	if ev.Text != "" && !g.came {
		g.came = true
		if text := c.in.Value(); !draw.Blank(text) {
			g.outline = text // it may have been written on meanwhile
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

// removeSuggested takes back what came of the line from byte at on, unless the user has written in it
// meanwhile.
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

// stopLine ends the line that is being written, and keeps what has come of it.
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

// outlineBack puts the outline in the place of the line that was made of it, while that is
// being written or stands there as it came. It reports whether there was one.
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
