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

// growth tells whether a reply that grows and a line that is typed are all that has
// happened since the last whole frame. All else is left alone then.
type growth struct {
	only   bool
	words  string // of the progress, as the status line has them
	keyed  bool   // the message at hand went into the line
	typed  bool   // one since the last frame did
	hidden bool   // words lie over the play
}

// saw takes note of what has come.
func (g *growth) saw(msg tea.Msg) {
	switch m := msg.(type) {
	case paintMsg:
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

// repaint puts on the screen what a growing reply and typing have changed, and tells
// whether that was all there was to do.
func (a *app) repaint() bool {
	g, story := &a.grown, a.rooms.play
	if !g.only || g.hidden || a.lock != nil || len(a.dialogs.All) > 0 || a.pane != nil && (a.lay.over || a.lay.zoomed || g.typed) || story.Progress() != g.words ||
		g.typed && arrange(a.width, a.height, story.ComposerRows(a.lay.play.Dx(), a.height), false, house.PaneSize{}) != a.lay {
		return false
	}
	ok, err := a.painter.Retouch(func(buf uv.ScreenBuffer, cur *painter.Cursor) ([]int, *painter.Cursor, bool) {
		lines, ok := story.Redraw(buf, a.lay.play, a.mode == keys.Browse || a.pointing())
		if ok && g.typed {
			var typed []int
			typed, cur = a.redrawComposer(buf)
			lines = append(lines, typed...)
		}
		return lines, cur, ok
	})
	if err != nil {
		a.opts.Log.Error("painting failed", "err", err)
	}
	if ok {
		g.typed = false
	}
	return ok || err != nil
}

// redrawComposer draws the composer where it is, and tells which lines are others now.
func (a *app) redrawComposer(buf uv.ScreenBuffer) (lines []int, cur *painter.Cursor) {
	area := a.lay.composer
	a.lines = slices.Grow(a.lines[:0], area.Dy())[:area.Dy()]
	for i := range a.lines {
		a.lines[i] = append(a.lines[i][:0], buf.Line(area.Min.Y+i)...)
	}
	cur = a.rooms.play.DrawComposer(buf, area, true)
	for i, old := range a.lines {
		if !slices.EqualFunc(old, buf.Line(area.Min.Y+i), func(a, b uv.Cell) bool { return a.Equal(&b) }) {
			lines = append(lines, area.Min.Y+i)
		}
	}
	if a.mode != keys.Write {
		cur = nil
	}
	return lines, cur
}
