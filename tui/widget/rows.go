package widget

import uv "github.com/charmbracelet/ultraviolet"

// Rows is where the rows of a list were drawn, of which some take more than one line where
// there is room.
type Rows struct{ lines []int }

// Draw calls row for each row from one to another with its place in the area: its own
// lines, and as many more as are spare. Row tells how many lines it took. The area has
// room for the least lines of all rows, which are least each.
func (r *Rows) Draw(area uv.Rectangle, from, to, least, spare int, row func(area uv.Rectangle, i int) (lines int)) {
	r.lines = r.lines[:0]
	for i := from; i < to; i++ {
		y := area.Min.Y + len(r.lines)
		n := max(least, row(uv.Rect(area.Min.X, y, area.Dx(), max(0, min(least+max(0, spare), area.Max.Y-y))), i))
		for spare -= n - least; n > 0; n-- {
			r.lines = append(r.lines, i)
		}
	}
}

// At is the row that stands in a line of the area, counted from 0; ok is false where none
// does.
func (r *Rows) At(line int) (row int, ok bool) {
	if line < 0 || line >= len(r.lines) {
		return 0, false
	}
	return r.lines[line], true
}

// Set says which row stands in each line, for rows that were drawn otherwise.
func (r *Rows) Set(lines []int) { r.lines = append(r.lines[:0], lines...) }

// Forget is for a list that is not drawn.
func (r *Rows) Forget() { r.lines = r.lines[:0] }

// Lines is how many lines the rows took.
func (r *Rows) Lines() int { return len(r.lines) }
