package draw

import (
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// lineCache keeps the cells of recently drawn lines. Most lines of a frame were in the previous
// one, and copying a line takes a twentieth of the time of laying it out.
type lineCache struct {
	mu          sync.Mutex
	new, recent map[lineKey]uv.Line
}

// lineKey holds everything that the cells of a line depend on.
type lineKey struct {
	text   string
	styled bool     // the text carries its own styles and is safe
	style  uv.Style // of any other text
	width  int
	method ansi.Method
}

// keptLines is the number of lines in a generation: about as many as a full frame has. The lines of
// the last two generations are kept, 10 KB each.
const keptLines = 120

var cached lineCache

// cells returns the cells of a line: exactly width for a styled one, else at most width. They must
// not be changed.
func (c *lineCache) cells(key lineKey) uv.Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.new[key]; ok {
		return l
	}
	l, ok := c.recent[key]
	if !ok {
		l = key.cells()
	}
	if c.new == nil || len(c.new) >= keptLines {
		c.new, c.recent = make(map[lineKey]uv.Line, keptLines), c.new
	}
	c.new[key] = l
	return l
}

func (k lineKey) cells() uv.Line {
	line, n := k.text, k.width
	if !k.styled {
		text := safetext.Line(k.text)
		if n = ansi.StringWidth(text); n > k.width {
			text = ansi.Truncate(text, k.width, "…")
			n = ansi.StringWidth(text)
		}
		line = k.style.Styled(text)
	}
	if n == 0 {
		return nil
	}
	buf := uv.NewScreenBuffer(n, 1)
	buf.Method = k.method
	uv.NewStyledString(line).Draw(buf, buf.Bounds())
	return buf.Line(0)
}

// putCells draws cells from x on, and returns their number. A wide character that they partly cover
// becomes blank.
func putCells(buf uv.ScreenBuffer, x, y int, cells uv.Line) int {
	n, to := len(cells), buf.Line(y)
	if n == 0 || to == nil {
		return n
	}
	if x >= 0 && x+n <= len(to) {
		to.Set(x, nil)
		to.Set(x+n-1, nil)
		copy(to[x:], cells)
		return n
	}
	for i := range cells { // only a part of them is visible
		to.Set(x+i, nil)
	}
	for i := range cells {
		if cells[i].Width > 0 {
			to.Set(x+i, &cells[i])
		}
	}
	return n
}
