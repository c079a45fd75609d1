package draw

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Put draws one line of plain text, clipped to w cells with an ellipsis, and returns the number of
// cells used. The text need not be safe.
func Put(buf uv.ScreenBuffer, x, y, w int, st uv.Style, text string) int {
	if w <= 0 || text == "" {
		return 0
	}
	return putCells(buf, x, y, cached.cells(lineKey{text: text, style: st, width: w, method: buf.Method}))
}

// PutRight draws text that ends at the right edge x+w and returns the column at which it begins.
func PutRight(buf uv.ScreenBuffer, x, y, w int, st uv.Style, text string) int {
	n := min(w, ansi.StringWidth(safetext.Line(text)))
	Put(buf, x+w-n, y, n, st, text)
	return x + w - n
}

// PutStyled draws a line that has its own styles and is already safe.
func PutStyled(buf uv.ScreenBuffer, x, y, w int, line string) {
	if w > 0 && line != "" {
		putCells(buf, x, y, cached.cells(lineKey{text: line, styled: true, width: w, method: buf.Method}))
	}
}

// MaxBelow is the maximum number of lines that a list uses for the details of the chosen row.
const MaxBelow = 7

// PutBelow draws styled lines at the bottom of an area, under a rule, and returns the number of
// lines used.
func PutBelow(buf uv.ScreenBuffer, area uv.Rectangle, lines []string, sty *Styles) int {
	if len(lines) == 0 {
		return 0
	}
	y := area.Max.Y - len(lines)
	Put(buf, area.Min.X, y-1, area.Dx(), sty.Border, strings.Repeat("─", area.Dx()))
	for i, l := range lines {
		PutStyled(buf, area.Min.X+1, y+i, area.Dx()-2, l)
	}
	return len(lines) + 1
}

// Fill gives every cell of an area the style and a blank.
func Fill(buf uv.ScreenBuffer, area uv.Rectangle, st uv.Style) {
	c := uv.Cell{Content: " ", Width: 1, Style: st}
	buf.FillArea(&c, area)
}

// Dim redraws the content of an area in a faint style without a background.
func Dim(buf uv.ScreenBuffer, area uv.Rectangle, sty *Styles) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if c := buf.CellAt(x, y); c != nil && c.Content != " " {
				c.Style = sty.Faint
			}
		}
	}
}

// Rule draws a horizontal line with words in its left and right ends.
func Rule(buf uv.ScreenBuffer, x, y, w int, st uv.Style, left, right string, words uv.Style) {
	Put(buf, x, y, w, st, strings.Repeat("─", max(0, w)))
	if left != "" {
		Put(buf, x+1, y, w-2, words, " "+left+" ")
	}
	avail := w - 4
	if left != "" {
		avail -= ansi.StringWidth(left) + 5
	}
	right = Hints(right, avail)
	if n := ansi.StringWidth(right) + 2; right != "" && n <= avail+2 {
		Put(buf, x+w-n-1, y, n, words, " "+right+" ")
	}
}

// Frame clears an area, draws a border with a title around it, and returns the area inside.
func Frame(buf uv.ScreenBuffer, area uv.Rectangle, sty *Styles, title, foot string) uv.Rectangle {
	Fill(buf, area, sty.Base)
	x, y, w, h := area.Min.X, area.Min.Y, area.Dx(), area.Dy()
	if w < 2 || h < 2 {
		return area
	}
	Put(buf, x, y, w, sty.Border, "╭"+strings.Repeat("─", w-2)+"╮")
	Put(buf, x, y+h-1, w, sty.Border, "╰"+strings.Repeat("─", w-2)+"╯")
	for i := y + 1; i < y+h-1; i++ {
		Put(buf, x, i, 1, sty.Border, "│")
		Put(buf, x+w-1, i, 1, sty.Border, "│")
	}
	if title != "" {
		Put(buf, x+2, y, w-4, sty.Title, " "+title+" ")
	}
	if foot != "" {
		Put(buf, x+2, y+h-1, w-4, sty.Dim, " "+Hints(foot, w-6)+" ")
	}
	return uv.Rect(x+2, y+1, max(0, w-4), max(0, h-2))
}

// Centred returns a rectangle of at most w × h in the middle of area.
func Centred(area uv.Rectangle, w, h int) uv.Rectangle {
	w, h = min(w, area.Dx()), min(h, area.Dy())
	return uv.Rect(area.Min.X+(area.Dx()-w)/2, area.Min.Y+(area.Dy()-h)/2, w, h)
}

// Wrap breaks plain text into lines of at most w cells and keeps its own line breaks.
func Wrap(text string, w int) []string {
	if w <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(safetext.Block(text), w, ""), "\n")
}

// PutWrapped draws wrapped text into an area and returns the number of rows used.
func PutWrapped(buf uv.ScreenBuffer, area uv.Rectangle, st uv.Style, text string) int {
	lines := Wrap(text, area.Dx())
	for i, l := range lines {
		if i >= area.Dy() {
			return i
		}
		Put(buf, area.Min.X, area.Min.Y+i, area.Dx(), st, l)
	}
	return len(lines)
}

// PutRest draws the last text of a row from column x up to end. The text wraps into as many of the
// area's lines as it needs and as there are. PutRest returns the number of lines used.
func PutRest(buf uv.ScreenBuffer, area uv.Rectangle, x, end int, st uv.Style, text string) int {
	w := end - x
	if w < 8 || area.Dy() < 2 || ansi.StringWidth(text) <= w {
		Put(buf, x, area.Min.Y, w, st, Truncate(text, max(1, w)))
		return 1
	}
	lines := Wrap(text, w)
	if n := area.Dy(); len(lines) > n {
		lines = append(lines[:n-1], Truncate(strings.Join(lines[n-1:], " "), w))
	}
	for i, l := range lines {
		if i > 0 {
			Fill(buf, uv.Rect(area.Min.X, area.Min.Y+i, area.Dx(), 1), uv.Style{Bg: st.Bg})
		}
		Put(buf, x, area.Min.Y+i, w, st, l)
	}
	return len(lines)
}

// Scrollbar shows in a column which part of n lines is in view. It draws nothing if all lines fit.
func Scrollbar(buf uv.ScreenBuffer, area uv.Rectangle, top, n int, sty *Styles) {
	h := area.Dy()
	if n <= h || h < 2 {
		return
	}
	size := max(1, h*h/n)
	at := (h - size) * min(top, n-h) / (n - h)
	for i := range size {
		Put(buf, area.Min.X, area.Min.Y+at+i, 1, sty.Border, "┃")
	}
}
