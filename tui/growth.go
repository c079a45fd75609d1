package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/play"
	"ghostlight/tui/keys"
)

// growth tells whether a reply that grows is all that has happened since the last whole
// frame. Composer, pane and status line are left alone then.
type growth struct {
	only  bool
	words string // of the progress, as the status line has them
}

// saw takes note of what has come.
func (g *growth) saw(msg tea.Msg) {
	switch m := msg.(type) {
	case paintMsg:
	case eventMsg:
		_, grows := m.event.(play.ReplyDelta)
		g.only = g.only && grows
	default:
		g.only = false
	}
}

// repaint puts on the screen what a growing reply has changed, and tells whether that was
// all there was to do.
func (a *app) repaint() bool {
	if !a.grown.only || len(a.dialogs.All) > 0 || a.pane != nil && a.lay.over || a.rooms.play.Progress() != a.grown.words {
		return false
	}
	ok, err := a.painter.Retouch(func(buf uv.ScreenBuffer) ([]int, bool) {
		return a.rooms.play.Redraw(buf, a.lay.play, a.mode == keys.Browse || a.pointing())
	})
	if err != nil {
		a.opts.Log.Error("painting failed", "err", err)
	}
	return ok || err != nil
}
