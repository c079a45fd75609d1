package tui

import (
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/settings"
)

// layout says where each part of the screen lies. Parts that are not shown are
// empty.
type layout struct {
	play     uv.Rectangle // the messages
	pane     uv.Rectangle
	composer uv.Rectangle // its rule above it included
	status   uv.Rectangle
	text     int  // cells that prose may take in the play
	over     bool // the pane lies over the play instead of beside it
	zoomed   bool // the pane hides the play and the composer
}

const (
	widestProse = 100 // cells; longer lines are hard to read
	paneBeside  = 100 // columns from which a pane stands beside the play
	paneStep    = 8   // columns that a pane is made wider by
	minPlay     = 36  // columns that a pane leaves
	minPane     = 28
)

// paneWidth returns how many of w columns a pane has beside the play that was made wider by so
// many steps.
func paneWidth(w, steps int) int {
	usual := min(max(40, w*9/20), 96)
	return max(minPane, min(usual+steps*paneStep, w-minPlay))
}

// arrange lays the screen out for w × h cells, a composer of so many lines of
// text, with or without a pane, which may be wider than usual or zoomed.
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
