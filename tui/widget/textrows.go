package widget

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// invisibleSign is shown for a character that is invisible by itself, so that the user sees it.
const invisibleSign = "·"

// glyph returns the drawn form of a character, and its width in cells.
func glyph(c string) (string, int) {
	if len(c) == 1 && c[0] >= ' ' && c[0] < 0x7f {
		return c, 1
	}
	if c == "\t" {
		return "    ", 4
	}
	if r, n := utf8.DecodeRuneInString(c); n == len(c) && (r < ' ' || r == 0x7f) {
		if r == 0x7f {
			return "␡", 1
		}
		return string('␀' + r), 1 // the Unicode pictures of control characters
	}
	s := safetext.Line(c)
	if n := ansi.StringWidth(s); n > 0 {
		return s, n
	}
	return invisibleSign, 1
}

// layout breaks a line into rows for the current width. A row keeps a cell after its last word, for
// a space or the cursor.
func (t *Text) layout(i int) []int {
	l := &t.lines[i]
	if l.wide == t.w {
		return l.rows
	}
	l.wide, l.rows = t.w, append(l.rows[:0:0], 0)
	row, word, used, wide := 0, 0, 0, 0 // where the row and the word begin, and their cells
	for at := 0; at < len(l.text); {
		n := cluster(l.text[at:])
		c := l.text[at : at+n]
		_, cells := glyph(c)
		at += n
		if r, _ := utf8.DecodeRuneInString(c); unicode.IsSpace(r) {
			if used+wide+cells > t.w && word > row {
				row, used = word, 0
				l.rows = append(l.rows, row)
			}
			used, word, wide = used+wide+cells, at, 0
			continue
		}
		if wide += cells; wide+cells > t.w { // a word that is longer than a row
			if word > row {
				row, used = word, 0
				l.rows = append(l.rows, row)
			}
			used, word, wide = wide, at, 0
			if at < len(l.text) {
				row, used = at, 0
				l.rows = append(l.rows, row)
			}
		}
	}
	if used+wide >= t.w && word > row {
		l.rows = append(l.rows, word)
	}
	return l.rows
}

// rowOf returns the row of a place within its line.
func (t *Text) rowOf(p textPlace) int {
	rows := t.layout(p.line)
	return sort.Search(len(rows), func(i int) bool { return rows[i] > p.byte }) - 1
}

// row returns the range of a row of a line.
func (t *Text) row(line, i int) (from, to int) {
	rows := t.layout(line)
	if from, to = rows[i], len(t.lines[line].text); i+1 < len(rows) {
		to = rows[i+1]
	}
	return from, to
}

// cell returns the number of cells between the beginning of a place's row and the place.
func (t *Text) cell(p textPlace) int {
	from, _ := t.row(p.line, t.rowOf(p))
	text, n := t.lines[p.line].text[:p.byte], 0
	for at := from; at < len(text); {
		size := cluster(t.lines[p.line].text[at:])
		if at+size > len(text) {
			break
		}
		_, cells := glyph(text[at : at+size])
		at, n = at+size, n+cells
	}
	return n
}

// above returns the number of rows above the row of a place.
func (t *Text) above(p textPlace) int {
	n := t.rowOf(p)
	for i := range p.line {
		n += len(t.layout(i))
	}
	return n
}

// Rows returns the number of rows of the text, no more than most.
func (t *Text) Rows(most int) int {
	n := 0
	for i := range t.lines {
		if n += len(t.layout(i)); n >= most {
			return most
		}
	}
	return n
}

// atTop reports whether the cursor is in the first row, and atBottom whether it is in the
// last.
func (t *Text) atTop() bool { return t.at.line == 0 && t.rowOf(t.at) == 0 }

func (t *Text) atBottom() bool {
	return t.at.line == len(t.lines)-1 && t.rowOf(t.at) == len(t.layout(t.at.line))-1
}

// down returns the place n rows below, or above if n is negative, in the remembered cell.
func (t *Text) down(n int) textPlace {
	goal := t.goal
	if goal < 0 {
		goal = t.cell(t.at)
	}
	t.goal = goal
	line, row := t.at.line, t.rowOf(t.at)
	for ; n > 0; n-- {
		if row+1 < len(t.layout(line)) {
			row++
		} else if line+1 < len(t.lines) {
			line, row = line+1, 0
		} else {
			return t.end()
		}
	}
	for ; n < 0; n++ {
		if row > 0 {
			row--
		} else if line > 0 {
			line--
			row = len(t.layout(line)) - 1
		} else {
			return textPlace{}
		}
	}
	return t.inRow(line, row, goal)
}

// inRow returns the place in a row that is nearest to a cell.
func (t *Text) inRow(line, row, goal int) textPlace {
	from, to := t.row(line, row)
	text, at := t.lines[line].text, from
	for n := 0; at < to; {
		size := cluster(text[at:to])
		_, cells := glyph(text[at : at+size])
		if n += cells; n > goal || at+size == to && row+1 < len(t.layout(line)) {
			break // after the last character begins the next row
		}
		at += size
	}
	return textPlace{line, at}
}

// Resize sets the size of the text's area.
func (t *Text) Resize(w, h int) { t.w, t.h = max(1, w), max(1, h) }

// view scrolls so that the cursor is visible, and no lines stay empty below the text that it could
// fill.
func (t *Text) view() {
	if t.focused {
		at := t.above(t.at)
		t.top = max(min(t.top, at), at-t.h+1)
	}
	if t.top > 0 {
		t.top = max(0, min(t.top, t.Rows(t.top+t.h)-t.h))
	}
}

// Draw shows the text in an area and returns its cursor, nil if it has none.
func (t *Text) Draw(buf uv.ScreenBuffer, area uv.Rectangle) *painter.Cursor {
	if area.Empty() {
		return nil
	}
	t.Resize(area.Dx(), area.Dy())
	t.area = area
	t.view()
	if len(t.lines) == 1 && t.lines[0].text == "" {
		draw.PutWrapped(buf, area, t.dim, t.Placeholder)
	}
	line, row := 0, t.top
	for line < len(t.lines)-1 && row >= len(t.layout(line)) {
		row -= len(t.layout(line))
		line++
	}
	for y := area.Min.Y; y < area.Max.Y && line < len(t.lines); y++ {
		t.drawRow(buf, uv.Rect(area.Min.X, y, area.Dx(), 1), line, row)
		if row++; row >= len(t.layout(line)) {
			line, row = line+1, 0
		}
	}
	if !t.focused {
		return nil
	}
	return &painter.Cursor{X: area.Min.X + min(t.cell(t.at), area.Dx()-1),
		Y: area.Min.Y + min(t.above(t.at)-t.top, area.Dy()-1)}
}

// drawRow draws one row; the selected part has its own style.
func (t *Text) drawRow(buf uv.ScreenBuffer, area uv.Rectangle, line, row int) {
	from, to := t.row(line, row)
	text := t.lines[line].text
	first, last := t.selection()
	x, part, chosen := area.Min.X, strings.Builder{}, false
	flush := func() {
		if part.Len() == 0 {
			return
		}
		st := t.ink
		if chosen {
			st = t.chosen
		}
		draw.PutStyled(buf, x, area.Min.Y, area.Max.X-x, st.Styled(part.String()))
		x += ansi.StringWidth(part.String())
		part.Reset()
	}
	for at := from; at < to; {
		size := cluster(text[at:to])
		p := textPlace{line, at}
		if in := first != last && !p.before(first) && p.before(last); in != chosen {
			flush()
			chosen = in
		}
		s, _ := glyph(text[at : at+size])
		part.WriteString(s)
		at += size
	}
	flush()
}
