package tui

import uv "github.com/charmbracelet/ultraviolet"

// layout says where each part of the screen lies. Parts that are not shown are
// empty.
type layout struct {
	play     uv.Rectangle // the messages
	pane     uv.Rectangle
	composer uv.Rectangle // its rule above it included
	status   uv.Rectangle
	text     int  // cells that prose may take in the play
	over     bool // the pane lies over the play instead of beside it
}

const (
	widestProse = 100 // cells; longer lines are hard to read
	paneBeside  = 100 // columns from which a pane stands beside the play
)

// arrange lays the screen out for w × h cells, a composer of so many lines of
// text, with or without a pane.
func arrange(w, h, lines int, pane bool) layout {
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
			pw := min(max(40, w*2/5), 84)
			playW = w - pw
			l.pane = uv.Rect(playW, 0, pw, body+composer)
		}
	}
	l.play = uv.Rect(0, 0, playW, body)
	l.composer = uv.Rect(0, body, playW, composer)
	l.text = max(1, min(playW-3, widestProse))
	return l
}
