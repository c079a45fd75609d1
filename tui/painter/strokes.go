package painter

import (
	"slices"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A reply that grows changes a few cells of one line a hundred times a second. The renderer
// measures all of that line's cells anew each time, twice, which was a quarter of what a
// token costs. So lines that are changed again and again are written here, cell by cell from
// the first that differs to the last; the renderer is told of them before it is needed for
// anything else.

// knownLine is what the terminal shows in a line of plain cells.
type knownLine struct {
	y     int
	cells uv.Line
	ahead bool // the renderer knows an older one
}

// mostKnown is how many lines are known at the most: what a reply and a composer change.
const mostKnown = 8

// strokes writes lines that are known, and tells whether all of them are.
func (p *Painter) strokes(lines []int) bool {
	for _, y := range lines {
		k := p.knownAt(y)
		if k == nil {
			return false
		}
		first, last := differ(k.cells, p.last.Lines[y])
		// In the last column the terminal's cursor hangs between two lines.
		if first <= last && (last == len(k.cells)-1 || !p.even(p.last.Lines[y][first:last+1])) {
			return false
		}
	}
	for _, y := range lines {
		k := p.knownAt(y)
		if first, last := differ(k.cells, p.last.Lines[y]); first <= last {
			p.stroke(p.last.Lines[y][first:last+1], first, y)
			copy(k.cells[first:], p.last.Lines[y][first:last+1])
			k.ahead = true
		}
	}
	return true
}

// stroke writes cells from a place on.
func (p *Painter) stroke(cells uv.Line, x, y int) {
	p.out.WriteString(ansi.CursorPosition(x+1, y+1))
	var pen uv.Style
	for i := range cells {
		if st := uv.ConvertStyle(cells[i].Style, p.profile); !st.Equal(&pen) {
			p.out.WriteString(st.Diff(&pen))
			pen = st
		}
		p.out.WriteString(cells[i].Content)
	}
	if !pen.IsZero() {
		p.out.WriteString(ansi.ResetStyle)
	}
	p.scr.SetPosition(x+len(cells), y)
}

// differ finds the first and the last cell that differ, the last before the first where
// none does.
func differ(a, b uv.Line) (first, last int) {
	first, last = 0, min(len(a), len(b))-1
	for first <= last && a[first].Equal(&b[first]) {
		first++
	}
	for last >= first && a[last].Equal(&b[last]) {
		last--
	}
	return first, last
}

// even tells whether every terminal takes a column for each of the cells.
func (p *Painter) even(cells uv.Line) bool {
	for i := range cells {
		c := &cells[i]
		if c.Width != 1 || !c.Link.IsZero() || c.Content == "" {
			return false
		}
		if b := c.Content[0]; len(c.Content) == 1 && b >= ' ' && b < 0x7f {
			continue
		}
		if p.last.Method.StringWidth(c.Content) != 1 || ansi.StringWidth(c.Content) != 1 {
			return false
		}
	}
	return true
}

func (p *Painter) knownAt(y int) *knownLine {
	for i := range p.known {
		if p.known[i].y == y {
			return &p.known[i]
		}
	}
	return nil
}

// know keeps what the renderer has just written, of lines that may change again. The lowest
// is left to the renderer: what it finds empty from there on up it clears in one go.
func (p *Painter) know(lines []int) {
	for _, y := range lines {
		if y == p.last.Height()-1 || !p.even(p.last.Lines[y]) {
			p.known = slices.DeleteFunc(p.known, func(k knownLine) bool { return k.y == y })
			continue
		}
		k := p.knownAt(y)
		if k == nil {
			if n := len(p.known); n < cap(p.known) && n < mostKnown {
				p.known = p.known[:n+1] // with the cells of one that was forgotten
			} else if n < mostKnown {
				p.known = append(p.known, knownLine{})
			} else {
				p.known[0], p.known[n-1] = p.known[n-1], p.known[0]
			}
			k = &p.known[len(p.known)-1]
		}
		k.y, k.ahead, k.cells = y, false, append(k.cells[:0], p.last.Lines[y]...)
	}
}

// catchUp tells the renderer of the lines that were written without it, and forgets them.
// What it would write is what the terminal shows already.
func (p *Painter) catchUp() {
	if !slices.ContainsFunc(p.known, func(k knownLine) bool { return k.ahead }) {
		return
	}
	swap := func() {
		for i := range p.known {
			if k := &p.known[i]; k.ahead {
				p.last.Lines[k.y], k.cells = k.cells, p.last.Lines[k.y]
			}
		}
	}
	// Lines that are not known may be drawn already, and not be on the terminal: the
	// renderer takes no heed of them as long as the lowest line is not empty.
	low := p.last.Height() - 1
	lowest := p.last.Lines[low]
	p.last.Lines[low] = uv.Line(slices.Repeat([]uv.Cell{{Content: "x", Width: 1}}, p.last.Width()))
	swap()
	p.untouch(false)
	for i := range p.known {
		if p.known[i].ahead {
			p.touch(p.known[i].y)
		}
	}
	x, y := p.scr.Position()
	had := p.out.Len()
	p.scr.SetScrollOptim(false)
	p.scr.Render(p.last.RenderBuffer)
	_ = p.scr.Flush() // into p.out
	p.out.Truncate(had)
	p.scr.SetPosition(x, y)
	swap()
	p.last.Lines[low] = lowest
	for i := range p.known {
		p.known[i].ahead = false
	}
}
