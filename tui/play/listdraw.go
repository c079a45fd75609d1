package play

import (
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// listRow is a row of the list as it is drawn.
type listRow struct {
	line   string
	marked bool
}

// Draw draws the visible messages.
func (p *List) Draw(buf uv.ScreenBuffer, area uv.Rectangle, marked bool) {
	left := area.Min.X + max(0, (area.Dx()-p.width-3)/2)
	for y, r := range p.compose(area.Dy(), marked) {
		p.row(buf, left, area.Min.Y+y, r)
	}
}

// compose returns the rows of the visible messages. They are valid until the next call.
func (p *List) compose(h int, marked bool) []listRow {
	if cap(p.Rows) < h {
		p.Rows, p.drawn = make([]int, h), make([]listRow, h)
	}
	p.Rows, p.drawn = p.Rows[:h], p.drawn[:h]
	rows := p.drawn
	clear(rows)
	for i := range p.Rows {
		p.Rows[i] = -1
	}
	if len(p.Items) == 0 {
		return rows
	}
	if p.Follow || p.Anchor >= len(p.Items) {
		p.Anchor, p.Below = len(p.Items)-1, 0
	} else if h := p.HeightOf(p.Anchor); p.Below >= h {
		p.Below = h - 1 // it was higher when the view was anchored
		p.clampScroll()
	}
	y := h - 1
	if p.Follow {
		for j := len(p.Tail) - 1; j >= 0 && y >= 0; j-- {
			rows[y].line = p.Tail[j]
			y--
		}
	}
	skip := p.Below
	for i := p.Anchor; i >= p.rangeStart(p.Anchor) && y >= 0; i-- {
		it := p.Items[i]
		lines := p.layout(it)
		p.missing(it)
		p.pictures.MarkShown(it.Msg.Picture)
		for j := len(lines) - 1 - skip; j >= 0 && y >= 0; j-- {
			rows[y] = listRow{lines[j], marked && i == p.Selected && j < it.own}
			p.Rows[y] = i
			y--
		}
		skip = max(0, skip-len(lines))
	}
	p.dropOldLayouts()
	return rows
}

func (p *List) row(buf uv.ScreenBuffer, x, y int, r listRow) {
	if r.marked {
		draw.Put(buf, x, y, 1, p.sty.Bar, "▌")
	}
	draw.PutStyled(buf, x+2, y, p.width, r.line)
	mark(buf, x+2, x+2+p.width, y, p.query)
}
