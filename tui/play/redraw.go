package play

import (
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// drawn is what the last draw put on the screen, so that a reply that grows redraws no
// more than the rows that it changes.
type drawn struct {
	area uv.Rectangle
	rows []drawnRow // of area, from the top
	next []drawnRow // room for those of the next draw
	sty  *draw.Styles
	left int
}

type drawnRow struct {
	line   string
	marked bool
}

// Draw shows the messages that are in view.
func (p *List) Draw(buf uv.ScreenBuffer, area uv.Rectangle, marked bool) {
	p.compose(area, marked)
	d := &p.drawn
	d.rows, d.next = d.next, d.rows
	d.area, d.sty = area, p.sty
	for y, r := range d.rows {
		p.row(buf, d.left, area.Min.Y+y, r)
	}
}

// Redraw draws what has changed since the last Draw, and returns what that is, the cursor
// aside. ok is false where that does not do.
func (p *List) Redraw(buf uv.ScreenBuffer, area uv.Rectangle, marked bool) (c painter.Change, ok bool) {
	d := &p.drawn
	if area != d.area || p.sty != d.sty || area.Empty() || len(p.Items) == 0 || len(p.Tail) > 0 {
		return c, false
	}
	left := d.left
	if p.compose(area, marked); left != d.left || p.pictured() {
		return c, false
	}
	if up := d.movedUp(); up > 0 && area.Min.X == 0 && area.Max.X == buf.Width() {
		c.Moved = painter.Move{Top: area.Min.Y, Bottom: area.Max.Y, By: up}
		c.Moved.Do(buf.Lines)
		copy(d.rows, d.rows[up:])
		clear(d.rows[len(d.rows)-up:])
	}
	for y := range d.next {
		if d.next[y] == d.rows[y] {
			continue
		}
		at := area.Min.Y + y
		draw.Wipe(buf.Line(at)[area.Min.X:area.Max.X])
		p.row(buf, left, at, d.next[y])
		c.Lines = append(c.Lines, at)
	}
	d.rows, d.next = d.next, d.rows
	return c, true
}

const (
	mostUp   = 3 // rows that a reply grows by at once
	worthAll = 8 // rows that need not be drawn
)

// movedUp is by how many rows what was drawn has moved up, where that leaves less to draw.
func (d *drawn) movedUp() (up int) {
	if len(d.rows) != len(d.next) {
		return 0
	}
	least := differing(d.rows, d.next) - worthAll
	for by := 1; by <= mostUp && by < len(d.next) && least > 0; by++ {
		if n := differing(d.rows[by:], d.next) + by; n <= least {
			least, up = n-1, by
		}
	}
	return up
}

// differing is how many rows differ, as far as there are both.
func differing(a, b []drawnRow) (n int) {
	for y := range min(len(a), len(b)) {
		if a[y] != b[y] {
			n++
		}
	}
	return n
}

// pictured reports whether a message in view has a picture.
func (p *List) pictured() bool {
	for _, i := range p.Rows {
		if i >= 0 && p.Items[i].Msg.Picture != nil {
			return true
		}
	}
	return false
}

// compose finds the rows of the messages that are in view.
func (p *List) compose(area uv.Rectangle, marked bool) {
	if cap(p.Rows) < area.Dy() {
		p.Rows = make([]int, area.Dy())
	}
	if cap(p.drawn.next) < area.Dy() {
		p.drawn.next = make([]drawnRow, area.Dy())
	}
	p.Rows = p.Rows[:area.Dy()]
	rows := p.drawn.next[:area.Dy()]
	p.drawn.next = rows
	clear(rows)
	for i := range p.Rows {
		p.Rows[i] = -1
	}
	if len(p.Items) == 0 {
		return
	}
	if p.Follow || p.Anchor >= len(p.Items) {
		p.Anchor, p.Below = len(p.Items)-1, 0
	} else if h := p.HeightOf(p.Anchor); p.Below >= h {
		p.Below = h - 1 // it was higher when the view was hung on it
		p.settle()
	}
	p.drawn.left = area.Min.X + max(0, (area.Dx()-p.width-3)/2)
	y := area.Dy() - 1
	if p.Follow {
		for j := len(p.Tail) - 1; j >= 0 && y >= 0; j-- {
			rows[y].line = p.Tail[j]
			y--
		}
	}
	skip := p.Below
	for i := p.Anchor; i >= p.begin(p.Anchor) && y >= 0; i-- {
		it := p.Items[i]
		lines := p.layout(it)
		p.missing(it)
		p.pictures.Seen(it.Msg.Picture)
		for j := len(lines) - 1 - skip; j >= 0 && y >= 0; j-- {
			rows[y] = drawnRow{lines[j], marked && i == p.Selected && j < it.own}
			p.Rows[y] = i
			y--
		}
		skip = max(0, skip-len(lines))
	}
	p.trim()
}

func (p *List) row(buf uv.ScreenBuffer, x, y int, r drawnRow) {
	if r.marked {
		draw.Put(buf, x, y, 1, p.sty.Bar, "▌")
	}
	draw.PutStyled(buf, x+2, y, p.width, r.line)
	mark(buf, x+2, x+2+p.width, y, p.query)
}
