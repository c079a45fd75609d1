package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// growth reports whether a reply that grows, a line that is typed and the clock are all that
// has happened since the last whole frame. All else is left alone then.
type growth struct {
	only   bool
	words  string // of the progress, as the status line has them
	ticked bool   // the clock has gone on
	keyed  bool   // the message at hand went into the line
	typed  bool   // one since the last frame did
	hidden bool   // words lie over the play
}

// saw takes note of what has come.
func (g *growth) saw(msg tea.Msg) {
	switch m := msg.(type) {
	case paintMsg:
	case tickMsg:
		g.ticked = true
	case tea.KeyPressMsg:
		g.only = g.only && g.keyed
		g.typed, g.keyed = g.typed || g.keyed, false
	case eventMsg:
		_, grows := m.event.(play.ReplyDelta)
		g.only = g.only && grows
	default:
		g.only = false
	}
}

// repaint puts on the screen what a growing reply, typing and the clock have changed, and
// reports whether that was all there was to do.
func (a *app) repaint() bool {
	g, story := &a.grown, a.parts.play
	if !g.only || g.hidden || a.lock != nil || len(a.dialogs.All) > 0 {
		return false
	}
	words := story.Progress()
	clock := g.ticked || words != g.words
	if a.pane != nil && (a.lay.over || a.lay.zoomed || g.typed || clock) ||
		g.typed && arrange(a.width, a.height, story.ComposerRows(a.lay.play.Dx(), a.height), false, house.PaneSize{}) != a.lay {
		return false
	}
	ok, err := a.painter.Retouch(func(buf uv.ScreenBuffer, cur *painter.Cursor) (painter.Change, bool) {
		c, ok := story.Redraw(buf, a.lay.play, a.mode == keys.Browse || a.pointing())
		if !ok {
			return c, false
		}
		if c.Cursor = cur; g.typed {
			c.Lines = a.redrawn(c.Lines, buf, a.lay.composer, func() { c.Cursor = story.DrawComposer(buf, a.lay.composer, true) })
			if a.mode != keys.Write {
				c.Cursor = nil
			}
		}
		if clock {
			c.Lines = a.redrawn(c.Lines, buf, a.lay.status, func() { a.drawStatus(buf, a.lay.status) })
		}
		return c, true
	})
	if err != nil {
		a.opts.Log.Error("painting failed", "err", err)
	}
	if ok {
		g.typed, g.ticked, g.words = false, false, words
	}
	return ok || err != nil
}

// redrawn has an area drawn where it is, and puts its lines that are others then to lines.
func (a *app) redrawn(lines []int, buf uv.ScreenBuffer, area uv.Rectangle, draw func()) []int {
	a.lines = slices.Grow(a.lines[:0], area.Dy())[:area.Dy()]
	for i := range a.lines {
		a.lines[i] = append(a.lines[i][:0], buf.Line(area.Min.Y+i)...)
	}
	draw()
	for i, old := range a.lines {
		if !slices.EqualFunc(old, buf.Line(area.Min.Y+i), func(a, b uv.Cell) bool { return a.Equal(&b) }) {
			lines = append(lines, area.Min.Y+i)
		}
	}
	return lines
}
