package widget

import "github.com/ghostlight-theatre/ghostlight/tui/keys"

// List is the part that panes of rows share: which row is chosen and which are
// in view. Rows may take several lines.
type List struct {
	N, At, Top int
	Step       int // lines of a row
	Rows       int // rows in view
}

// Move chooses the row n below.
func (l *List) Move(n int) { l.At = max(0, min(l.At+n, l.N-1)) }

// Click chooses the row at a line of the pane, the title being line 0.
func (l *List) Click(line int) {
	if l.Step > 0 {
		l.Move(l.Top + (line-1)/l.Step - l.At)
	}
}

// View fits the chosen row into h lines and says which rows to draw.
func (l *List) View(n, step, h int) (from, to int) {
	l.N, l.Step = n, step
	l.Rows = max(1, h/step)
	l.At = max(0, min(l.At, n-1))
	l.Top = max(0, min(l.Top, l.At, n-l.Rows), l.At-l.Rows+1) // no room is left while rows are above
	return l.Top, min(n, l.Top+l.Rows)
}

// Act moves for an action that does so, and reports whether it is one.
func (l *List) Act(act keys.Name) bool {
	switch act {
	case keys.PaneUp:
		l.Move(-1)
	case keys.PaneDown:
		l.Move(1)
	case keys.PaneTop:
		l.Move(-l.N)
	case keys.PaneBottom:
		l.Move(l.N)
	default:
		return false
	}
	return true
}
