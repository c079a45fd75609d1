package painter

import (
	"hash/maphash"
	"slices"
	"strconv"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// termState is the position of the terminal's cursor and the terminal's current style. Between two
// frames it has no style.
type termState struct {
	at    Cursor
	known bool // at is the terminal's position
	pen   uv.Style
	link  uv.Link
}

// render writes the differences between the next frame and the last one. It leaves the written
// lines in changed.
func (p *Painter) render() {
	switch {
	case p.anew:
		// A frame for the old size may have set margins on a terminal that had the new size
		// already: line feeds would scroll inside them.
		p.out.WriteString(resetMargins + ansi.ResetStyle + ansi.CursorHomePosition + ansi.EraseEntireScreen)
		p.term.known = false
		for _, line := range p.last.Lines {
			copy(line, p.blank)
		}
	case len(p.changed) > fewLines && !p.over.isActive():
		if p.scroll() {
			p.compare()
		}
	}
	for _, y := range p.changed {
		p.writeLine(y)
	}
	if !p.term.pen.IsZero() {
		p.out.WriteString(ansi.ResetStyle)
	}
	if !p.term.link.IsZero() {
		p.out.WriteString(ansi.ResetHyperlink())
	}
	p.term.pen, p.term.link = uv.Style{}, uv.Link{}
}

// minErased is the number of blank cells from which the rest of a line is erased.
const minErased = 4

// writeLine writes a line from the first cell that differs to the last. A line with characters that
// are wide, or whose width differs between terminals, is written completely.
func (p *Painter) writeLine(y int) {
	old, line := p.last.Lines[y], p.buf.Lines[y]
	first, last := 0, len(line)-1
	for first <= last && same(&old[first], &line[first]) {
		first++
	}
	for last >= first && same(&old[last], &line[last]) {
		last--
	}
	if first > last {
		return
	}
	end := len(line) // end of the part that is not blank
	for end > 0 && same(&line[end-1], &uv.EmptyCell) {
		end--
	}
	if hasWideCells(old) || hasWideCells(line) {
		p.erase(0, y)
		p.writeCells(line[:end], 0, y)
		return
	}
	if last-max(first, end) < minErased {
		p.writeCells(line[first:last+1], first, y)
		return
	}
	if first < end {
		p.writeCells(line[first:end], first, y)
	}
	p.erase(max(first, end), y)
}

// erase blanks the rest of a line.
func (p *Painter) erase(x, y int) {
	p.goTo(x, y)
	p.setPen(&uv.EmptyCell)
	p.out.WriteString(ansi.EraseLineRight)
}

// writeCells writes cells of a line from a position on.
func (p *Painter) writeCells(cells uv.Line, x, y int) {
	w, h := p.buf.Width(), p.buf.Height()
	for i := range cells {
		c := &cells[i]
		if c.Width == 0 {
			continue // the rest of a wide character
		}
		p.goTo(x+i, y)
		p.setPen(c)
		corner := y == h-1 && x+i+c.Width >= w // some terminals scroll there
		if corner {
			p.out.WriteString(ansi.ResetModeAutoWrap)
		}
		p.out.WriteString(c.Content)
		if corner {
			p.out.WriteString(ansi.SetModeAutoWrap)
		}
		// After the last column the terminal's cursor is between two lines.
		p.term.at.X += c.Width
		p.term.known = p.term.at.X < w && (len(c.Content) == 1 || safetext.HasAgreedWidth(c.Content))
	}
}

// setPen sets the terminal's style to that of a cell.
func (p *Painter) setPen(c *uv.Cell) {
	if !sameStyle(&c.Style, &p.term.pen) {
		to, from := uv.ConvertStyle(c.Style, p.profile), uv.ConvertStyle(p.term.pen, p.profile)
		p.out.WriteString(to.Diff(&from))
		p.term.pen = c.Style
	}
	if c.Link != p.term.link {
		to := uv.ConvertLink(c.Link, p.profile)
		p.out.WriteString(ansi.SetHyperlink(to.URL, to.Params))
		p.term.link = c.Link
	}
}

// goTo moves the terminal's cursor.
func (p *Painter) goTo(x, y int) {
	to := Cursor{x, y}
	if p.term.known && p.term.at == to {
		return
	}
	b := append(p.out.AvailableBuffer(), "\x1b["...)
	b = append(strconv.AppendInt(b, int64(y+1), 10), ';')
	p.out.Write(append(strconv.AppendInt(b, int64(x+1), 10), 'H'))
	p.term.at, p.term.known = to, true
}

// hasWideCells reports whether a line has a cell that some terminal takes for another number of
// columns than one.
func hasWideCells(line uv.Line) bool {
	for x := range line {
		if c := &line[x]; c.Width != 1 || len(c.Content) != 1 && !safetext.HasAgreedWidth(c.Content) {
			return true
		}
	}
	return false
}

// scroll has the terminal scroll the largest block of lines that has only moved. It reports whether
// there is one that is worth it.
func (p *Painter) scroll() bool {
	old, next := p.hashes(p.last.Lines), p.hashes(p.buf.Lines)
	best, top, bottom, by := fewLines, 0, 0, 0
	for n := 1 - len(next); n < len(next); n++ {
		gain, from := 0, max(0, -n)
		for y := from; y < min(len(next), len(next)-n); y++ {
			if next[y] != old[y+n] {
				gain, from = 0, y+1
				continue
			}
			if next[y] != old[y] {
				gain++
			}
			if gain > best {
				best, top, bottom, by = gain, min(from, from+n), max(y, y+n)+1, n
			}
		}
	}
	if by == 0 {
		return false
	}
	p.out.WriteString(ansi.SetTopBottomMargins(top+1, bottom))
	p.term.known = false
	lines := p.last.Lines[top:bottom]
	if by > 0 {
		p.goTo(0, bottom-1)
	} else {
		p.goTo(0, top)
	}
	for range max(by, -by) {
		if by > 0 {
			p.out.WriteByte('\n')
			rotate(lines, 1)
			copy(lines[len(lines)-1], p.blank)
		} else {
			p.out.WriteString(ansi.ReverseIndex)
			rotate(lines, len(lines)-1)
			copy(lines[0], p.blank)
		}
	}
	p.out.WriteString(resetMargins)
	p.term.known = false // terminals differ here
	return true
}

// hashes returns a hash of each line's content.
func (p *Painter) hashes(lines []uv.Line) []uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	out := make([]uint64, len(lines))
	for y, line := range lines {
		h.Reset()
		for x := range line {
			_, _ = h.WriteString(line[x].Content) // never fails
		}
		out[y] = h.Sum64()
	}
	return out
}

var seed = maphash.MakeSeed()

// rotate moves the first n elements to the end.
func rotate[T any](s []T, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}
