package widget

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// Mouse handles a click, a double click or a drag inside the text: it moves the cursor, selects the
// word, or selects the range. It reports whether that was in the text.
func (t *Text) Mouse(msg tea.MouseMsg) bool {
	m := msg.Mouse()
	inside := uv.Pos(m.X, m.Y).In(t.area)
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		if t.pulled = inside && m.Button == tea.MouseLeft; !t.pulled {
			return false
		}
		t.at, t.goal = t.placeAtCell(m.X, m.Y), -1
		t.Unselect()
		if t.clicks.IsDouble(msg) {
			t.SelectMore()
			t.pulled = false
		}
		t.held = t.at
		return true
	case tea.MouseMotionMsg:
		if !t.pulled || m.Button != tea.MouseLeft {
			return false
		}
		t.at, t.goal = t.placeAtCell(m.X, m.Y), -1
		t.anchor, t.selecting = t.held, t.at != t.held
		return true
	case tea.MouseReleaseMsg:
		was := t.pulled
		t.pulled = false
		return was
	}
	return false
}

// placeAtCell returns the place that was drawn nearest to a cell of the screen.
func (t *Text) placeAtCell(x, y int) textPlace {
	row := t.top + min(max(y-t.area.Min.Y, 0), max(0, t.area.Dy()-1))
	line := 0
	for row >= len(t.layout(line)) {
		if line == len(t.lines)-1 {
			return t.end()
		}
		row -= len(t.layout(line))
		line++
	}
	return t.inRow(line, row, max(0, x-t.area.Min.X))
}
