package widget

import (
	"sort"

	uv "github.com/charmbracelet/ultraviolet"
)

// Outline is the part that lists of unequal rows share: which row is chosen and
// which are in view. Headings are rows that cannot be chosen.
type Outline struct {
	Rows  []OutlineRow
	Ends  []int // of each row, the line below it
	At    int   // the chosen row
	Top   int   // the first row in view
	Page  int   // lines in view
	First int   // the line of the pane that the first row stands in
}

// OutlineRow is how many lines a row takes, and whether it is a heading.
type OutlineRow struct {
	Height  int
	Heading bool
}

// Fill replaces the rows; the choice stays at its number, or at the row near it
// that can be chosen.
func (o *Outline) Fill(rows []OutlineRow) {
	o.Rows, o.Ends = rows, o.Ends[:0]
	end := 0
	for _, r := range rows {
		end += r.Height
		o.Ends = append(o.Ends, end)
	}
	o.Choose(o.At)
}

// Choose makes a row the chosen one, or the nearest that can be: the next one
// below, or else above.
func (o *Outline) Choose(i int) {
	i = max(0, min(i, len(o.Rows)-1))
	for j := i; j < len(o.Rows); j++ {
		if !o.Rows[j].Heading {
			o.At = j
			return
		}
	}
	for j := i - 1; j >= 0; j-- {
		if !o.Rows[j].Heading {
			o.At = j
			return
		}
	}
	o.At = 0
}

// Chosen returns the number of the chosen row, -1 where none can be chosen.
func (o *Outline) Chosen() int {
	if o.At < 0 || o.At >= len(o.Rows) || o.Rows[o.At].Heading {
		return -1
	}
	return o.At
}

// Move chooses the nth row from the chosen one, headings not counted.
func (o *Outline) Move(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for i := o.At + step; n > 0 && i >= 0 && i < len(o.Rows); i += step {
		if !o.Rows[i].Heading {
			o.At = i
			n--
		}
	}
	o.ScrollToHeadings()
}

// ScrollToHeadings shows the headings above the first row once that is chosen.
func (o *Outline) ScrollToHeadings() {
	for i := range o.At {
		if i < len(o.Rows) && !o.Rows[i].Heading {
			return
		}
	}
	o.Top = 0
}

// Start returns the line that a row begins in, counted from the first row's.
func (o *Outline) Start(i int) int {
	if i == 0 {
		return 0
	}
	return o.Ends[i-1]
}

// View fits the chosen row into h lines, and returns which rows are in view, the last one perhaps
// in part.
func (o *Outline) View(h int) (from, to int) {
	if len(o.Rows) == 0 || h <= 0 {
		return 0, 0
	}
	o.Page = h
	o.reveal()
	return o.Top, min(len(o.Rows), sort.SearchInts(o.Ends, o.Start(o.Top)+h)+1)
}

// Show calls row for each row in view with the room that it has, which at the
// lower edge may be less than it asked for.
func (o *Outline) Show(area uv.Rectangle, row func(i int, avail uv.Rectangle)) {
	from, to := o.View(area.Dy())
	y := area.Min.Y
	for i := from; i < to; i++ {
		h := o.Rows[i].Height
		row(i, uv.Rect(area.Min.X, y, area.Dx(), min(h, area.Max.Y-y)))
		y += h
	}
}

// reveal brings the chosen row into view, with the headings that it stands under.
func (o *Outline) reveal() {
	o.Top = max(0, min(o.Top, len(o.Rows)-1))
	up := o.At
	for up > 0 && o.Rows[up-1].Heading {
		up--
	}
	if up < o.Top && o.Ends[o.At]-o.Start(up) <= o.Page {
		o.Top = up
	}
	o.Top = min(o.Top, o.At)
	if need := o.Ends[o.At] - o.Page; need > o.Start(o.Top) {
		o.Top = min(o.At, sort.SearchInts(o.Ends, need)+1)
	}
	// No room is left below the last row while others are above.
	for o.Top > 0 && o.Ends[len(o.Ends)-1]-o.Start(o.Top-1) <= o.Page {
		o.Top--
	}
}

// Click chooses the row at a line of the pane.
func (o *Outline) Click(line int) {
	if len(o.Rows) == 0 || line < o.First {
		return
	}
	i := sort.SearchInts(o.Ends, o.Start(o.Top)+line-o.First+1)
	if i < len(o.Rows) && !o.Rows[i].Heading {
		o.At = i
	}
}
