package painter

import (
	"slices"
	"strconv"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A reply that grows changes a few cells of one line a hundred times a second, and moves all
// lines up with each line that it begins. The renderer measures all cells of the lines that
// it looks at anew each time, twice, which was a third of what a token costs. So retouched
// lines are written here, cell by cell from the first that differs to the last, and what
// moves is scrolled; the renderer is told of it before it is needed for anything else.

// Change is what a draw has changed in the last frame.
type Change struct {
	Moved  Move
	Lines  []int // that are others after that
	Cursor *Cursor
}

// Move is lines that have moved up, from Top to Bottom, which is not among them: the By
// highest are gone, and as many blank ones stand below. With By 0 none have moved.
type Move struct{ Top, Bottom, By int }

// Do moves the lines of a frame.
func (m Move) Do(lines []uv.Line) {
	if m.By <= 0 {
		return
	}
	area := lines[m.Top:m.Bottom]
	rotate(area, m.By)
	for _, line := range area[len(area)-m.By:] {
		for x := range line {
			line[x] = uv.EmptyCell
		}
	}
}

// rotate puts the first n at the end.
func rotate[T any](s []T, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}

// mirror is what the terminal shows while frames are retouched. Its cells lie in the buffer
// of the next whole frame, which nobody needs meanwhile.
type mirror struct {
	on    bool
	lines []mirrored
	spans []span // room for those of a change
}

// mirrored is what is known of a line.
type mirrored struct {
	looked, plain bool // whether every terminal takes a column for each of its cells
	ahead         bool // the renderer knows an older one
}

// span is where a line differs.
type span struct{ y, first, last int }

// reflect begins a mirror, where there is none: the terminal shows the last frame.
func (p *Painter) reflect() {
	m := &p.mirror
	if m.on {
		return
	}
	h := p.last.Height()
	m.on, m.lines = true, slices.Grow(m.lines[:0], h)[:h]
	for y := range m.lines {
		p.reflectLine(y)
	}
}

func (p *Painter) reflectLine(y int) {
	copy(p.buf.Lines[y], p.last.Lines[y])
	p.mirror.lines[y] = mirrored{}
}

// move scrolls what has moved.
func (p *Painter) move(to Move) {
	if to.By <= 0 {
		return
	}
	p.out.WriteString(ansi.SetTopBottomMargins(to.Top+1, to.Bottom))
	p.goTo(0, to.Bottom-1)
	for range to.By {
		p.out.WriteByte('\n')
	}
	p.out.WriteString(resetMargins)
	p.scr.SetPosition(-1, -1) // terminals do not agree
	to.Do(p.buf.Lines)
	lines := p.mirror.lines[to.Top:to.Bottom]
	rotate(lines, to.By)
	for i := range lines {
		if i >= len(lines)-to.By {
			lines[i] = mirrored{looked: true, plain: true}
		}
		lines[i].ahead = true
	}
}

// strokes writes where lines differ, and reports whether it could; nothing is written where
// it could not.
func (p *Painter) strokes(lines []int) bool {
	m := &p.mirror
	m.spans = m.spans[:0]
	for _, y := range lines {
		s := span{y: y}
		s.first, s.last = differ(p.buf.Lines[y], p.last.Lines[y])
		if s.first > s.last {
			continue
		}
		// In the last column the terminal's cursor hangs between two lines.
		if s.last == p.last.Width()-1 || !p.plain(y) || !p.even(p.last.Lines[y][s.first:s.last+1]) {
			return false
		}
		m.spans = append(m.spans, s)
	}
	for _, s := range m.spans {
		cells := p.last.Lines[s.y][s.first : s.last+1]
		p.stroke(cells, s.first, s.y)
		copy(p.buf.Lines[s.y][s.first:], cells)
		m.lines[s.y].ahead = true
	}
	return true
}

// stroke writes cells from a place on.
func (p *Painter) stroke(cells uv.Line, x, y int) {
	p.goTo(x, y)
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

func (p *Painter) goTo(x, y int) {
	b := append(p.out.AvailableBuffer(), "\x1b["...)
	b = append(strconv.AppendInt(b, int64(y+1), 10), ';')
	p.out.Write(append(strconv.AppendInt(b, int64(x+1), 10), 'H'))
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

// plain reports whether every terminal takes a column for each of the cells that it shows in
// a line.
func (p *Painter) plain(y int) bool {
	l := &p.mirror.lines[y]
	if !l.looked {
		l.looked, l.plain = true, p.even(p.buf.Lines[y])
	}
	return l.plain
}

// even reports whether every terminal takes a column for each of the cells.
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

// catchUp tells the renderer of the lines that were written without it. What it would write
// is what the terminal shows already.
func (p *Painter) catchUp() {
	m := &p.mirror
	if !m.on || !slices.ContainsFunc(m.lines, func(l mirrored) bool { return l.ahead }) {
		return
	}
	untouch(p.buf, false)
	for y := range m.lines {
		if m.lines[y].ahead {
			touch(p.buf, y)
			m.lines[y].ahead = false
		}
	}
	x, y := p.scr.Position()
	had := p.out.Len()
	p.scr.SetScrollOptim(false)
	p.scr.Render(p.buf.RenderBuffer)
	_ = p.scr.Flush() // into p.out
	p.out.Truncate(had)
	p.scr.SetPosition(x, y)
}

// touch has the renderer look at a line of a frame; where that is blank, at the one above it
// too, which may be cleared with it.
func touch(b uv.ScreenBuffer, y int) {
	b.TouchLine(0, y, b.Width())
	if y > 0 && empty(b.Lines[y]) {
		b.TouchLine(0, y-1, b.Width())
	}
}

// untouch has the renderer look at no line of a frame, or at all.
func untouch(b uv.ScreenBuffer, all bool) {
	w := -1
	if all {
		w = b.Width()
	}
	if h := b.Height(); len(b.Touched) != h {
		b.Touched = make([]*uv.LineData, h)
	}
	for y, t := range b.Touched {
		if t == nil {
			t = &uv.LineData{}
			b.Touched[y] = t
		}
		t.FirstCell, t.LastCell = min(w, 0), w
	}
}
