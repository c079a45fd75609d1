package pictures

import (
	"strconv"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// grid is the layout of the gallery's list in the last frame: slots from top to bottom, each a
// heading or a row of captures.
type grid struct {
	slots     []gridSlot
	top       int          // the first slot in view
	shown     int          // slots in view
	cols      int          // captures side by side
	area      uv.Rectangle // of the list
	cellWidth int          // cells from one capture to the next
}

// gridSlot is a row of the grid.
type gridSlot struct {
	from, n int
	head    bool
	height  int // lines that it takes
}

// Sizes of the thumbnails, in cells.
const (
	thumbCols, thumbRows = 8, 3  // in a list, beside three lines of words
	tileCols, tileRows   = 18, 6 // in a grid, above one line of words
)

// layoutGrid divides the list into slots.
func (g *gallery) layoutGrid(area uv.Rectangle, tiles, plain bool) {
	g.grid.area, g.grid.cols, g.grid.cellWidth = area, 1, area.Dx()
	h := thumbRows
	switch {
	case tiles:
		g.grid.cols = max(1, (area.Dx()+1)/(tileCols+1))
		g.grid.cellWidth, h = area.Dx()/g.grid.cols, tileRows+1
	case plain:
		h = 1
	}
	slots := g.grid.slots[:0]
	for i, n := range g.Lines {
		last := len(slots) - 1
		switch {
		case n < 0:
			slots = append(slots, gridSlot{from: i, n: 1, head: true, height: 1})
		case last < 0 || slots[last].head || slots[last].n == g.grid.cols:
			slots = append(slots, gridSlot{from: i, n: 1, height: h})
		default:
			slots[last].n++
		}
	}
	g.grid.slots = slots
	g.fitGrid(area.Dy())
}

// slotAt returns the slot at a line of the list.
func (d *grid) slotAt(line int) int {
	lo, hi := 0, len(d.slots)
	for lo < hi {
		if mid := (lo + hi) / 2; d.slots[mid].from <= line {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return max(0, lo-1)
}

// fitGrid scrolls to the chosen capture and a heading right above it.
func (g *gallery) fitGrid(h int) {
	d := &g.grid
	n := len(d.slots)
	if n == 0 {
		d.top, d.shown = 0, 0
		return
	}
	at := d.slotAt(g.At)
	first := at
	if first > 0 && d.slots[first-1].head && d.slots[first-1].height+d.slots[at].height <= h {
		first--
	}
	d.top = max(0, min(d.top, first, n-1))
	for need := d.height(d.top, at+1); need > h && d.top < at; d.top++ {
		need -= d.slots[d.top].height
	}
	for d.top > 0 && d.height(d.top-1, n) <= h { // leaves no empty lines below
		d.top--
	}
	d.shown = 0
	for y := 0; d.top+d.shown < n && y+d.slots[d.top+d.shown].height <= h; d.shown++ {
		y += d.slots[d.top+d.shown].height
	}
	d.shown = max(1, d.shown)
	g.Page = d.shown * d.cols
}

// height returns the height of a range of slots.
func (d *grid) height(from, to int) (h int) {
	for _, s := range d.slots[from:to] {
		h += s.height
	}
	return h
}

// step moves n slots up or down in the same column.
func (g *gallery) step(n int) {
	d := &g.grid
	if len(d.slots) == 0 || len(g.Lines) == 0 {
		return
	}
	at := d.slotAt(g.At)
	col := g.At - d.slots[at].from
	to := max(0, min(at+n, len(d.slots)-1))
	dir := 1
	if n < 0 {
		dir = -1
	}
	for to >= 0 && to < len(d.slots) && d.slots[to].head {
		to += dir
	}
	if to < 0 || to >= len(d.slots) {
		return
	}
	g.Pick(d.slots[to].from + min(col, d.slots[to].n-1))
}

// Move moves n rows up or down; the batches are above the first row.
func (g *gallery) Move(n int) {
	all := len(g.part.batches())
	switch {
	case g.batch >= 0 && g.batch+n >= all:
		g.batch = -1
	case g.batch >= 0:
		g.batch = max(0, g.batch+n)
	case n < 0 && all > 0 && g.grid.slotAt(g.At) <= 1:
		g.batch = all - 1
	default:
		g.step(n)
	}
}

// chosenBatch returns the chosen batch, nil if a capture is chosen.
func (g *gallery) chosenBatch() *pictures.BatchView {
	if all := g.part.batches(); g.batch >= 0 && g.batch < len(all) {
		return &all[g.batch]
	}
	g.batch = -1
	return nil
}

// drawGrid draws the visible slots.
func (g *gallery) drawGrid(buf uv.ScreenBuffer) {
	d := &g.grid
	y := d.area.Min.Y
	for i := d.top; i < len(d.slots) && y < d.area.Max.Y; i++ {
		s := d.slots[i]
		if s.head {
			n := -1 - g.Lines[s.from]
			w := draw.Put(buf, d.area.Min.X, y, d.area.Dx()-6, g.Host.Styles().Title, g.Groups[n])
			draw.Put(buf, d.area.Min.X+w, y, d.area.Dx()-w-1, g.Host.Styles().Faint,
				draw.Separator+strconv.Itoa(g.Counts[n]))
		}
		for j := 0; !s.head && j < s.n; j++ {
			cell := uv.Rect(d.area.Min.X+j*d.cellWidth, y, d.cellWidth-1, s.height)
			g.drawCell(buf, cell, s.from+j)
		}
		y += s.height
	}
	draw.Scrollbar(buf, uv.Rect(d.area.Max.X-1, d.area.Min.Y, 1, d.area.Dy()), d.height(0, d.top),
		d.height(0, len(d.slots)), g.Host.Styles())
}

// drawCell draws one capture: a line of text, or a thumbnail beside or above text.
func (g *gallery) drawCell(buf uv.ScreenBuffer, area uv.Rectangle, line int) {
	c := &g.items[g.Lines[line]]
	base := g.Host.Styles().Base
	chosen := line == g.At && g.chosenBatch() == nil && (g.focused || g.filtering())
	mark := captureMark(c)
	if g.Marked[string(c.ID)] {
		mark = "✓"
	}
	words := mark + " " + g.titleOf(c)
	bottom := g.grid.area.Max.Y
	write := func(x, y, w int, st uv.Style, text string) {
		if y < bottom {
			draw.Put(buf, x, y, w, st, text)
		}
	}
	pictured := area.Dy() > 1 && g.part.display.mode != "off"
	switch {
	case g.grid.cols > 1:
		if pictured {
			g.drawThumb(buf, uv.Rect(area.Min.X, area.Min.Y, min(area.Dx(), tileCols), area.Dy()-1), bottom, c)
		}
		area.Min.Y = area.Max.Y - 1
	case pictured:
		g.drawThumb(buf, uv.Rect(area.Min.X, area.Min.Y, thumbCols, thumbRows), bottom, c)
		area.Min.X += thumbCols + 1
	}
	if chosen && area.Min.Y < bottom {
		base = g.Host.Styles().Selected
		draw.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), base)
	}
	age, room := draw.Ago(time.Now(), c.CreatedAt), area.Dx()
	if area.Dy() == 1 && g.grid.cols == 1 {
		st := g.Host.Styles().Dim
		if chosen {
			st = base
		}
		room = draw.PutRight(buf, area.Min.X, area.Min.Y, area.Dx(), st, age) - area.Min.X - 1
	}
	write(area.Min.X, area.Min.Y, room, base, words)
	if area.Dy() > 1 {
		write(area.Min.X+2, area.Min.Y+1, area.Dx()-2, g.Host.Styles().Dim, g.stateText(c))
		write(area.Min.X+2, area.Min.Y+2, area.Dx()-2, g.Host.Styles().Faint,
			draw.Join(age, cameraLine(c), madeWith(c)))
	}
}

// captureMark returns the mark of a capture's kind, one cell wide.
func captureMark(c *pictures.GalleryItem) string {
	switch {
	case c.Status == storage.CapturePrompting:
		return "…"
	case c.Status == storage.CaptureGenerating:
		return "◐"
	case c.Status == storage.CaptureFailed:
		return "✗"
	case c.Waiting:
		return "◌"
	case c.Status == storage.CaptureDraft:
		return "✎"
	case c.Kind == "video":
		return "▶"
	}
	return "▪"
}

// titleOf returns the title of a capture: the request, or its prompt.
func (g *gallery) titleOf(c *pictures.GalleryItem) string {
	text := promptOf(c.Capture)
	if c.Requested != "" {
		text = c.Requested
	}
	if text == "" {
		text = "a " + captureKind(c.Capture)
	}
	if c.Chat != g.Host.Play().Chat().Chat.ID {
		return draw.Truncate(text, 200)
	}
	return pane.Truncate(g.Host, text, 200)
}

func captureKind(c storage.Capture) string {
	if c.Kind == "video" {
		return "video"
	}
	return "picture"
}
