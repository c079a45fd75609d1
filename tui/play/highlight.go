package play

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
)

// Highlight marks the matches of a query in the messages; an empty query marks nothing.
func (p *List) Highlight(q chats.Query) { p.query = q }

// showHit selects a message and scrolls its best matching line to a third of the view.
func (p *List) showHit(i int) {
	p.Selected = i
	lines, best, most := p.layout(p.Items[i]), 0, 0
	for at, l := range lines {
		if n := len(chats.Marked(ansi.Strip(l), p.query)); n > most {
			best, most = at, n
		}
	}
	if best < p.Height/2 && len(lines) <= p.Height {
		p.Reveal(i)
		return
	}
	p.place(i, p.Height/3-best)
}

// mark highlights the matches of a query in a line of the screen, from cell x to end.
func mark(buf uv.ScreenBuffer, x, end, y int, q chats.Query) {
	if q.Empty() {
		return
	}
	var text strings.Builder
	var cells []int // by byte of the text
	line := buf.Line(y)
	for at := x; at < min(end, len(line)); at++ {
		if c := line[at].Content; c != "" {
			text.WriteString(c)
			for range len(c) {
				cells = append(cells, at)
			}
		}
	}
	for _, s := range chats.Marked(text.String(), q) {
		for at := cells[s.From]; at <= cells[s.To-1]; at++ {
			line[at].Style.Attrs |= uv.AttrReverse
		}
	}
}
