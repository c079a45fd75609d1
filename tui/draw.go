package tui

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/tui/safetext"
)

// put draws one line of plain text, clipped to w cells with an ellipsis, and
// says how many cells it took. The text may come from anywhere.
func put(buf uv.ScreenBuffer, x, y, w int, st uv.Style, text string) int {
	text = safetext.Line(text)
	if w <= 0 || text == "" {
		return 0
	}
	if n := ansi.StringWidth(text); n > w {
		text = ansi.Truncate(text, w, "…")
	}
	n := ansi.StringWidth(text)
	uv.NewStyledString(st.Styled(text)).Draw(buf, uv.Rect(x, y, n, 1))
	return n
}

// putRight draws text that ends at the right edge x+w and says where it begins.
func putRight(buf uv.ScreenBuffer, x, y, w int, st uv.Style, text string) int {
	n := min(w, ansi.StringWidth(safetext.Line(text)))
	put(buf, x+w-n, y, n, st, text)
	return x + w - n
}

// putStyled draws a line that carries its own styles and was made safe already.
func putStyled(buf uv.ScreenBuffer, x, y, w int, line string) {
	if w > 0 && line != "" {
		uv.NewStyledString(line).Draw(buf, uv.Rect(x, y, w, 1))
	}
}

// putBelow draws styled lines at the bottom of an area, under a rule, and says how
// many lines that took.
func putBelow(buf uv.ScreenBuffer, area uv.Rectangle, lines []string, lk *look) int {
	if len(lines) == 0 {
		return 0
	}
	y := area.Max.Y - len(lines)
	put(buf, area.Min.X, y-1, area.Dx(), lk.border, strings.Repeat("─", area.Dx()))
	for i, l := range lines {
		putStyled(buf, area.Min.X+1, y+i, area.Dx()-2, l)
	}
	return len(lines) + 1
}

// fill gives every cell of an area the style and a blank.
func fill(buf uv.ScreenBuffer, area uv.Rectangle, st uv.Style) {
	c := uv.Cell{Content: " ", Width: 1, Style: st}
	buf.FillArea(&c, area)
}

// rule draws a horizontal line with words set into its left and right ends.
func rule(buf uv.ScreenBuffer, x, y, w int, st uv.Style, left, right string, words uv.Style) {
	put(buf, x, y, w, st, strings.Repeat("─", max(0, w)))
	if left != "" {
		put(buf, x+1, y, w-2, words, " "+left+" ")
	}
	right = hints(right, w-ansi.StringWidth(left)-9)
	if n := ansi.StringWidth(right) + 2; right != "" && n < w-ansi.StringWidth(left)-6 {
		put(buf, x+w-n-1, y, n, words, " "+right+" ")
	}
}

// frame clears an area, draws a border round it with a title, and returns what
// lies inside.
func frame(buf uv.ScreenBuffer, area uv.Rectangle, lk *look, title, foot string) uv.Rectangle {
	fill(buf, area, lk.base)
	x, y, w, h := area.Min.X, area.Min.Y, area.Dx(), area.Dy()
	if w < 2 || h < 2 {
		return area
	}
	put(buf, x, y, w, lk.border, "╭"+strings.Repeat("─", w-2)+"╮")
	put(buf, x, y+h-1, w, lk.border, "╰"+strings.Repeat("─", w-2)+"╯")
	for i := y + 1; i < y+h-1; i++ {
		put(buf, x, i, 1, lk.border, "│")
		put(buf, x+w-1, i, 1, lk.border, "│")
	}
	if title != "" {
		put(buf, x+2, y, w-4, lk.title, " "+title+" ")
	}
	if foot != "" {
		put(buf, x+2, y+h-1, w-4, lk.dim, " "+hints(foot, w-6)+" ")
	}
	return uv.Rect(x+2, y+1, max(0, w-4), max(0, h-2))
}

// hints is a line of hints, each between " · ", cut to the whole ones that w
// cells hold.
func hints(line string, w int) string {
	if ansi.StringWidth(line) <= w {
		return line
	}
	for {
		i := strings.LastIndex(line, " · ")
		if i < 0 {
			return line
		}
		if line = line[:i]; ansi.StringWidth(line)+2 <= w {
			return line + " …"
		}
	}
}

// centred is a rectangle of at most w × h in the middle of area.
func centred(area uv.Rectangle, w, h int) uv.Rectangle {
	w, h = min(w, area.Dx()), min(h, area.Dy())
	return uv.Rect(area.Min.X+(area.Dx()-w)/2, area.Min.Y+(area.Dy()-h)/2, w, h)
}

// wrapped breaks plain text into lines of at most w cells, its own line breaks
// kept.
func wrapped(text string, w int) []string {
	if w <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(safetext.Block(text), w, ""), "\n")
}

// putWrapped draws wrapped text into an area and says how many rows it took.
func putWrapped(buf uv.ScreenBuffer, area uv.Rectangle, st uv.Style, text string) int {
	lines := wrapped(text, area.Dx())
	for i, l := range lines {
		if i >= area.Dy() {
			return i
		}
		put(buf, area.Min.X, area.Min.Y+i, area.Dx(), st, l)
	}
	return len(lines)
}
