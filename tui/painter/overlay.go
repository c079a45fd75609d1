package painter

import (
	"image/color"
	"slices"

	uv "github.com/charmbracelet/ultraviolet"
)

// Mark is the cell of a picture that a cell of a frame shows. An ID of 0 means none.
type Mark struct {
	ID       uint32
	Col, Row int
}

// Overlay draws pictures over cells that reserve their place. It is called while a frame is
// painted.
type Overlay interface {
	// Mark reads a cell. The Painter leaves the cells that are marks blank.
	Mark(c *uv.Cell) (m Mark, ok bool)
	// Image returns the sequences that draw a part of a picture, given in the picture's own cells,
	// with the top left corner at the cursor. They must draw all of the part, over any old content,
	// and nothing outside it. They may leave the cursor anywhere, but must not change the text
	// style. "" means that the picture is not ready: it is requested again with the next frame.
	Image(id uint32, part uv.Rectangle) string
}

// overlays knows which part of which picture lies on each cell of the terminal. Writing a cell
// removes the part of a picture on it. Pictures are drawn after the cells, and only on cells that
// do not show them yet.
type overlays struct {
	w     int
	want  []Mark // of the frame
	on    []Mark // on the terminal
	any   bool   // of want
	drawn bool   // of on
}

// underneath is the content of a cell under a picture. It must not be a blank: a cell that stays
// blank is not written, so a picture on it would stay. No text has its colour, so every other
// content counts as a change.
var underneath = uv.Cell{Content: "\u00a0", Width: 1, Style: uv.Style{Fg: color.RGBA{1, 2, 3, 0xff}}}

// restore removes the marks from a frame.
func (o *overlays) restore(buf uv.ScreenBuffer, ov Overlay) {
	w, h := buf.Width(), buf.Height()
	if len(o.want) != w*h || o.w != w {
		o.w, o.want, o.on, o.drawn = w, make([]Mark, w*h), make([]Mark, w*h), false
	}
	if o.any {
		clear(o.want)
	}
	o.any = false
	if ov == nil {
		return
	}
	for y, line := range buf.Lines {
		for x := range line {
			m, ok := ov.Mark(&line[x])
			if !ok {
				continue
			}
			c := underneath
			c.Style.Bg = line[x].Style.Bg
			line[x] = c
			// A terminal scrolls when a picture ends on its last line.
			if m.ID != 0 && y < h-1 {
				o.want[y*w+x], o.any = m, true
			}
		}
	}
}

// isActive reports whether there are pictures. Lines must not be scrolled then, because it depends
// on the terminal whether pictures on them scroll too.
func (o *overlays) isActive() bool { return o.any || o.drawn }

// markWritten records that written lines have no pictures on them.
func (o *overlays) markWritten(written []int) {
	if !o.drawn {
		return
	}
	o.drawn = false
	for y := 0; y*o.w < len(o.on); y++ {
		row := o.on[y*o.w : (y+1)*o.w]
		gone := slices.Contains(written, y)
		for x := range row {
			if gone || o.want[y*o.w+x].ID == 0 {
				row[x] = Mark{}
			}
			o.drawn = o.drawn || row[x].ID != 0
		}
	}
}

// missing returns the parts to draw, each with its area on the screen and its beginning in the
// picture. They are rectangles, as large as a simple search finds.
func (o *overlays) missing() (parts []part) {
	if !o.any {
		return nil
	}
	open := map[[2]int]int{} // columns of a run on the line above, and the index of its part
	for y := 0; y*o.w < len(o.want); y++ {
		here := map[[2]int]int{}
		for x := 0; x < o.w; {
			n := o.run(x, y)
			if n == 0 {
				x++
				continue
			}
			m := o.want[y*o.w+x]
			at, ok := open[[2]int{x, n}]
			if ok {
				above := parts[at]
				ok = above.from == Mark{m.ID, m.Col, m.Row - above.area.Dy()}
			}
			if ok {
				parts[at].area.Max.Y++
			} else {
				at = len(parts)
				parts = append(parts, part{uv.Rect(x, y, n, 1), m})
			}
			here[[2]int{x, n}] = at
			x += n
		}
		open = here
	}
	return parts
}

type part struct {
	area uv.Rectangle // of the screen
	from Mark         // its top left corner
}

// run returns the number of cells from x on that show one stretch of a picture, or 0 if all of them
// are drawn already.
func (o *overlays) run(x, y int) int {
	row := o.want[y*o.w : (y+1)*o.w]
	m := row[x]
	if m.ID == 0 {
		return 0
	}
	n, lacks := 0, false
	for x+n < o.w && row[x+n] == (Mark{m.ID, m.Col + n, m.Row}) {
		lacks = lacks || o.on[y*o.w+x+n] != row[x+n]
		n++
	}
	if !lacks {
		return 0
	}
	return n
}

// stamp draws the missing parts over the written cells.
func (p *Painter) stamp(ov Overlay) {
	o := &p.over
	for _, part := range o.missing() {
		seq := ov.Image(part.from.ID, uv.Rect(part.from.Col, part.from.Row, part.area.Dx(), part.area.Dy()))
		if seq == "" {
			continue // it is missing in the next frame too
		}
		p.goTo(part.area.Min.X, part.area.Min.Y)
		p.out.WriteString(seq)
		p.term.known = false
		for y := part.area.Min.Y; y < part.area.Max.Y; y++ {
			copy(o.on[y*o.w+part.area.Min.X:y*o.w+part.area.Max.X], o.want[y*o.w+part.area.Min.X:])
		}
		o.drawn = true
	}
}
