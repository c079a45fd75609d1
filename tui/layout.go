package tui

import (
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/settings"
)

// layout holds the areas of the screen's parts. Parts that are not shown have empty areas.
type layout struct {
	play     uv.Rectangle // the messages
	pane     uv.Rectangle
	composer uv.Rectangle // its rule above it included
	status   uv.Rectangle
	text     int  // maximum width of prose in the play, in cells
	over     bool // the pane covers the play instead of being beside it
	zoomed   bool // the pane hides the play and the composer
}

const (
	widestProse = 100 // cells; longer lines are hard to read
	paneBeside  = 100 // columns from which a pane is shown beside the play
	paneStep    = 8   // columns per step of a pane's width
	minPlay     = 36  // columns that a pane leaves
	minPane     = 28
)

// paneWidth returns the width of a pane beside the play, out of w columns, after the user made it
// wider by the given steps.
func paneWidth(w, steps int) int {
	usual := min(max(40, w*9/20), 96)
	return max(minPane, min(usual+steps*paneStep, w-minPlay))
}

// arrange lays the screen out for w × h cells and a composer of the given lines, with or without a
// pane, which may be wider than usual or zoomed.
func arrange(w, h, lines int, pane bool, size settings.PaneSize) layout {
	var l layout
	status := min(1, h)
	most := max(1, (h-status)/3)
	composer := min(lines, most) + 1
	if h < 6 {
		composer = min(1, h-status)
	}
	body := max(0, h-status-composer)
	l.status = uv.Rect(0, h-status, w, status)
	playW := w
	if pane {
		if l.over = w < paneBeside; l.over {
			l.pane = uv.Rect(0, 0, w, body)
		} else {
			pw := paneWidth(w, size.Steps)
			playW = w - pw
			l.pane = uv.Rect(playW, 0, pw, body+composer)
		}
	}
	if l.zoomed = pane && size.Zoomed; l.zoomed {
		l.pane = uv.Rect(0, 0, w, body+composer)
	}
	l.play = uv.Rect(0, 0, playW, body)
	l.composer = uv.Rect(0, body, playW, composer)
	l.text = max(1, min(playW-3, widestProse))
	return l
}
