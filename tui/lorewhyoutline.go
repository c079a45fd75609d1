package tui

import (
	"sort"

	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/keys"
)

// outline is the part that lists of unequal rows share: which row is chosen and
// which are in view. Headings are rows that cannot be chosen.
type outline struct {
	rows  []outlineRow
	ends  []int // of each row, the line below it
	at    int   // the chosen row
	top   int   // the first row in view
	page  int   // lines in view
	first int   // the line of the pane that the first row stands in
}

// outlineRow is how many lines a row takes, and whether it is a heading.
type outlineRow struct {
	h    int
	head bool
}

// fill replaces the rows; the choice stays at its number, or at the row near it
// that can be chosen.
func (o *outline) fill(rows []outlineRow) {
	o.rows, o.ends = rows, o.ends[:0]
	end := 0
	for _, r := range rows {
		end += r.h
		o.ends = append(o.ends, end)
	}
	o.choose(o.at)
}

// choose makes a row the chosen one, or the nearest that can be: the next one
// below, or else above.
func (o *outline) choose(i int) {
	i = max(0, min(i, len(o.rows)-1))
	for j := i; j < len(o.rows); j++ {
		if !o.rows[j].head {
			o.at = j
			return
		}
	}
	for j := i - 1; j >= 0; j-- {
		if !o.rows[j].head {
			o.at = j
			return
		}
	}
	o.at = 0
}

// chosen is the number of the chosen row, -1 where none can be chosen.
func (o *outline) chosen() int {
	if o.at < 0 || o.at >= len(o.rows) || o.rows[o.at].head {
		return -1
	}
	return o.at
}

// move chooses the nth row from the chosen one, headings not counted.
func (o *outline) move(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for i := o.at + step; n > 0 && i >= 0 && i < len(o.rows); i += step {
		if !o.rows[i].head {
			o.at = i
			n--
		}
	}
}

func (o *outline) act(act keys.Action) bool {
	switch act {
	case keys.PaneUp:
		o.move(-1)
	case keys.PaneDown:
		o.move(1)
	case keys.PaneTop:
		o.choose(0)
		o.top = 0
	case keys.PaneBottom:
		o.choose(len(o.rows) - 1)
	default:
		return false
	}
	return true
}

// start is the line that a row begins in, counted from the first row's.
func (o *outline) start(i int) int {
	if i == 0 {
		return 0
	}
	return o.ends[i-1]
}

// show calls row for each row in view with the room that it has, which at the
// lower edge may be less than it asked for.
func (o *outline) show(area uv.Rectangle, row func(i int, room uv.Rectangle)) {
	if len(o.rows) == 0 || area.Empty() {
		return
	}
	o.page = area.Dy()
	o.reveal()
	y := area.Min.Y
	for i := o.top; i < len(o.rows) && y < area.Max.Y; i++ {
		h := o.rows[i].h
		row(i, uv.Rect(area.Min.X, y, area.Dx(), min(h, area.Max.Y-y)))
		y += h
	}
}

// reveal brings the chosen row into view, with the headings that it stands under.
func (o *outline) reveal() {
	o.top = max(0, min(o.top, len(o.rows)-1))
	up := o.at
	for up > 0 && o.rows[up-1].head {
		up--
	}
	if up < o.top && o.ends[o.at]-o.start(up) <= o.page {
		o.top = up
	}
	o.top = min(o.top, o.at)
	if need := o.ends[o.at] - o.page; need > o.start(o.top) {
		o.top = min(o.at, sort.SearchInts(o.ends, need)+1)
	}
	// No room is left below the last row while others are above.
	for o.top > 0 && o.ends[len(o.ends)-1]-o.start(o.top-1) <= o.page {
		o.top--
	}
}

// click chooses the row at a line of the pane.
func (o *outline) click(line int) {
	if len(o.rows) == 0 || line < o.first {
		return
	}
	i := sort.SearchInts(o.ends, o.start(o.top)+line-o.first+1)
	if i < len(o.rows) && !o.rows[i].head {
		o.at = i
	}
}
