package painter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// vt is a terminal: what a painter writes to it moves a cursor over cells. It
// knows the sequences that painters write and panics on any other.
type vt struct {
	w, h        int
	cells       [][]string // "" is the right half of a wide character
	styles      [][]string // of the cells, the sequences since the last reset
	pen         string
	x, y        int
	wrap        bool // the next character begins a new line
	top, bottom int  // the scrolling region
	alt, cursor bool
	autowrap    bool
	title       string
	lies        []Mark // the part of a picture on each cell, row by row
}

// smear is the mark of a cell that a terminal moved on its own: terminals differ in whether
// pictures move too.
var smear = Mark{ID: 1 << 31}

func newVT(w, h int) *vt {
	t := &vt{w: w, h: h, bottom: h - 1, cursor: true, autowrap: true, lies: make([]Mark, w*h)}
	for range h {
		t.cells, t.styles = append(t.cells, t.blank()), append(t.styles, make([]string, w))
	}
	return t
}

// resized is the terminal at another size, with rubbish on its screen, and with
// margins that were meant for the size before.
func (t *vt) resized(w, h int) *vt {
	n := newVT(w, h)
	n.alt, n.cursor, n.title = t.alt, t.cursor, t.title
	n.x, n.y = w-1, h/2
	n.bottom = min(t.h, h) - 1
	for _, row := range n.cells {
		for x := range row {
			row[x] = "#"
			n.styles[0][x] = "\x1b[7m"
		}
	}
	for i := range n.lies {
		n.lies[i] = smear
	}
	return n
}

func (t *vt) blank() []string {
	row := make([]string, t.w)
	for i := range row {
		row[i] = " "
	}
	return row
}

// plain is a row of cells in the style of the pen.
func (t *vt) plain() []string { return slices.Repeat([]string{t.pen}, t.w) }

// style returns the style of a cell.
func (t *vt) style(x, y int) uv.Style {
	b := uv.NewScreenBuffer(1, 1)
	uv.NewStyledString(t.styles[y][x]+"x").Draw(b, b.Bounds())
	return b.CellAt(0, 0).Style
}

// text is the screen, blanks at the ends of rows left out.
func (t *vt) text() string {
	var b strings.Builder
	for _, row := range t.cells {
		b.WriteString(strings.TrimRight(strings.Join(row, ""), " ") + "\n")
	}
	return b.String()
}

func (t *vt) write(s string) {
	for len(s) > 0 {
		if s[0] == 0x1b {
			s = s[t.escape(s):]
			continue
		}
		switch s[0] {
		case '\r':
			t.x, t.wrap = 0, false
		case '\n':
			t.feed()
		case '\b':
			t.x, t.wrap = max(0, t.x-1), false
		default:
			cluster, width := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
			t.put(cluster, width)
			s = s[len(cluster):]
			continue
		}
		s = s[1:]
	}
}

func (t *vt) put(cluster string, width int) {
	if t.wrap && t.autowrap {
		t.x = 0
		t.feed()
	}
	t.wrap = false
	if t.x+width > t.w {
		return
	}
	t.erase(t.x, t.x+width)
	clear(t.lies[t.y*t.w+t.x : t.y*t.w+t.x+width])
	t.cells[t.y][t.x], t.styles[t.y][t.x] = cluster, t.pen
	for i := 1; i < width; i++ {
		t.cells[t.y][t.x+i] = ""
	}
	if t.x += width; t.x >= t.w {
		t.x, t.wrap = t.w-1, true
	}
}

// erase blanks cells of the cursor's row; half a wide character goes whole.
func (t *vt) erase(from, to int) {
	row := t.cells[t.y]
	for from > 0 && from < t.w && row[from] == "" {
		from--
	}
	for to < t.w && row[to] == "" {
		to++
	}
	for i := max(0, from); i < min(to, t.w); i++ {
		row[i], t.styles[t.y][i] = " ", t.pen
		t.lies[t.y*t.w+i] = Mark{}
	}
}

func (t *vt) feed() {
	t.wrap = false
	if t.y == t.bottom {
		t.shift(t.top, t.bottom, 1)
	} else if t.y < t.h-1 {
		t.y++
	}
}

// shift moves the rows top to bottom up by n, down for a negative n.
func (t *vt) shift(top, bottom, n int) {
	t.smear(top*t.w, (bottom+1)*t.w)
	old, styles := append([][]string(nil), t.cells[top:bottom+1]...), append([][]string(nil), t.styles[top:bottom+1]...)
	for i := range old {
		if from := i + n; from >= 0 && from < len(old) {
			t.cells[top+i], t.styles[top+i] = old[from], styles[from]
		} else {
			t.cells[top+i], t.styles[top+i] = t.blank(), t.plain()
		}
	}
}

func (t *vt) smear(from, to int) {
	for i := from; i < to; i++ {
		if t.lies[i].ID != 0 {
			t.lies[i] = smear
		}
	}
}

// image draws a part of a picture at the cursor, and leaves the cursor where a
// program would not look for it. It panics where a terminal would scroll.
func (t *vt) image(s string) {
	var id uint32
	var col, row, w, h int
	if _, err := fmt.Sscanf(s, "%d;%d;%d;%d;%d", &id, &col, &row, &w, &h); err != nil {
		panic("image " + strconv.Quote(s))
	}
	if t.wrap || t.x+w > t.w || t.y+h > t.h-1 {
		panic(fmt.Sprintf("image %s at %d,%d of %d×%d", s, t.x, t.y, t.w, t.h))
	}
	for y := range h {
		for x := range w {
			t.lies[(t.y+y)*t.w+t.x+x] = Mark{id, col + x, row + y}
		}
	}
	t.x, t.y = t.w/2, t.h-1
}

func (t *vt) escape(s string) int {
	switch s[1] {
	case '_':
		end := strings.Index(s, "\x1b\\")
		t.image(s[2:end])
		return end + 2
	case 'M':
		t.wrap = false
		if t.y == t.top {
			t.shift(t.top, t.bottom, -1)
		} else {
			t.y--
		}
		return 2
	case ']':
		end := strings.IndexByte(s, 7)
		t.title = strings.TrimPrefix(s[2:end], "2;")
		return end + 1
	case '[':
		i := 2
		for s[i] < 0x40 {
			i++
		}
		t.csi(s[2:i], s[i])
		return i + 1
	}
	panic("escape " + strconv.Quote(s[:min(len(s), 20)]))
}

func (t *vt) csi(params string, final byte) {
	arg := func(i, otherwise int) int {
		parts := strings.Split(params, ";")
		if i < len(parts) && parts[i] != "" {
			if n, err := strconv.Atoi(parts[i]); err == nil {
				return n
			}
		}
		return otherwise
	}
	n := arg(0, 1)
	row := t.cells[t.y]
	switch final {
	case 'u', 'q': // keyboard
	case 'm':
		if t.pen += "\x1b[" + params + "m"; params == "" || params == "0" {
			t.pen = ""
		}
	case 'h', 'l':
		t.mode(params, final == 'h')
	case 'H', 'f':
		t.y, t.x = min(n, t.h)-1, min(arg(1, 1), t.w)-1
	case 'A':
		t.y = max(0, t.y-n)
	case 'B':
		t.y = min(t.h-1, t.y+n)
	case 'C':
		t.x = min(t.w-1, t.x+n)
	case 'D':
		t.x = max(0, t.x-n)
	case 'G', '`':
		t.x = min(n, t.w) - 1
	case 'd':
		t.y = min(n, t.h) - 1
	case 'K':
		from, to := t.x, t.w
		if arg(0, 0) == 1 {
			from, to = 0, t.x+1
		} else if arg(0, 0) == 2 {
			from = 0
		}
		t.erase(from, to)
	case 'J':
		t.erase(t.x, t.w)
		top := t.y + 1
		if arg(0, 0) == 2 {
			top = 0
		}
		for y := top; y < t.h; y++ {
			t.cells[y], t.styles[y] = t.blank(), t.plain()
			clear(t.lies[y*t.w : (y+1)*t.w])
		}
	case 'X':
		t.erase(t.x, t.x+n)
	case 'P':
		t.smear(t.y*t.w+t.x, (t.y+1)*t.w)
		t.cells[t.y] = append(append(append([]string{}, row[:t.x]...), row[min(t.w, t.x+n):]...), t.blank()[:min(n, t.w-t.x)]...)
	case '@':
		t.smear(t.y*t.w+t.x, (t.y+1)*t.w)
		t.cells[t.y] = append(append(append([]string{}, row[:t.x]...), t.blank()[:min(n, t.w-t.x)]...), row[t.x:max(t.x, t.w-n)]...)
	case 'L':
		t.shift(t.y, t.bottom, -n)
	case 'M':
		t.shift(t.y, t.bottom, n)
	case 'S':
		t.shift(t.top, t.bottom, n)
	case 'T':
		t.shift(t.top, t.bottom, -n)
	case 'b':
		for range n {
			t.put(row[t.x-1], 1)
		}
	case 'r':
		t.top, t.bottom = n-1, min(arg(1, t.h), t.h)-1
		t.x, t.y = 0, 0
	default:
		panic("CSI " + params + string(final))
	}
	if strings.IndexByte("mhluq", final) < 0 {
		t.wrap = false
	}
}

func (t *vt) mode(params string, on bool) {
	switch params {
	case "?1049":
		t.alt = on
		if on {
			for y := range t.cells {
				t.cells[y] = t.blank()
			}
			clear(t.lies)
		}
	case "?25":
		t.cursor = on
	case "?7":
		t.autowrap = on
	case "?2004", "?1002", "?1006", "?2026":
	default:
		panic("mode " + params)
	}
}
