package widget

import (
	"sort"

	uv "github.com/charmbracelet/ultraviolet"
)

// Outline is the shared part of lists with rows of different heights: the chosen row and the
// visible range. Headings are rows that cannot be chosen.
type Outline struct {
	Rows  []OutlineRow
	Ends  []int // for each row, the line below it
	At    int   // the chosen row
	Top   int   // the first row in view
	Page  int   // lines in view
	First int   // the pane's line of the first row
}

// OutlineRow is the height of a row in lines, and whether it is a heading.
type OutlineRow struct {
	Height  int
	Heading bool
}

// Fill replaces the rows. The chosen index stays, or moves to the nearest row that can be chosen.
func (o *Outline) Fill(rows []OutlineRow) {
	o.Rows, o.Ends = rows, o.Ends[:0]
	end := 0
	for _, r := range rows {
		end += r.Height
		o.Ends = append(o.Ends, end)
	}
	o.Choose(o.At)
}

// Choose chooses a row, or the nearest one that can be chosen: the next one below, or else above.
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

// Chosen returns the index of the chosen row, -1 if none can be chosen.
func (o *Outline) Chosen() int {
	if o.At < 0 || o.At >= len(o.Rows) || o.Rows[o.At].Heading {
		return -1
	}
	return o.At
}

// Move moves the choice by n rows, without the headings.
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

// ScrollToHeadings scrolls to the headings above the first row if that is chosen.
func (o *Outline) ScrollToHeadings() {
	for i := range o.At {
		if i < len(o.Rows) && !o.Rows[i].Heading {
			return
		}
	}
	o.Top = 0
}

// Start returns the first line of a row, counted from the first row's.
func (o *Outline) Start(i int) int {
	if i == 0 {
		return 0
	}
	return o.Ends[i-1]
}

// View scrolls to the chosen row in h lines, and returns the range of visible rows; the last one
// may be cut.
func (o *Outline) View(h int) (from, to int) {
	if len(o.Rows) == 0 || h <= 0 {
		return 0, 0
	}
	o.Page = h
	o.reveal()
	return o.Top, min(len(o.Rows), sort.SearchInts(o.Ends, o.Start(o.Top)+h)+1)
}

// Show calls row for each visible row with its area, which at the lower edge may be lower than the
// row.
func (o *Outline) Show(area uv.Rectangle, row func(i int, avail uv.Rectangle)) {
	from, to := o.View(area.Dy())
	y := area.Min.Y
	for i := from; i < to; i++ {
		h := o.Rows[i].Height
		row(i, uv.Rect(area.Min.X, y, area.Dx(), min(h, area.Max.Y-y)))
		y += h
	}
}

// reveal scrolls to the chosen row, with its headings.
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
	// No lines stay empty below the last row while rows above are hidden.
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
