package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// helpRow is a key of the help with its description.
type helpRow struct {
	act   keys.Name
	keys  string
	words string
	why   string // the reason why it is not available, "" if it is
	group string
	do    func() tea.Cmd // nil if the row cannot be run
}

// helpPage is one page of the help.
type helpPage struct {
	title string
	rows  []helpRow
	whole bool // in one column, with uncut words
}

// helpDialog shows pages of keys in one or two columns, filtered by the typed text. Enter runs the
// action of the chosen row; details about that row are below the columns.
type helpDialog struct {
	widget.Base
	a      *app
	pages  []helpPage
	at     int // of pages
	filter *widget.Input
	typed  string     // the filter
	lines  []helpLine // of the page
	chosen int        // index in lines
	area   uv.Rectangle
	cols   int
	top    int // the line in the area's first cell
}

// helpLine is a line of the list: a heading, a gap, or a key with what it does.
type helpLine struct {
	head string
	row  *helpRow
}

func newHelp(a *app, pages []helpPage) *helpDialog {
	h := &helpDialog{a: a, pages: pages, filter: widget.NewInput(true)}
	h.filter.SetStyles(a.sty)
	h.filter.Area.Placeholder = "type to filter"
	h.filter.Focus()
	h.layout()
	return h
}

// Handle implements widget.Dialog.
func (h *helpDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			h.move(-3)
		} else {
			h.move(3)
		}
		return nil, false
	case tea.MouseClickMsg:
		if i, ok := h.lineAt(m.X, m.Y); ok {
			h.chosen = i
		}
		return nil, false
	}
	cmd := h.filter.Update(msg)
	if now := strings.TrimSpace(h.filter.Value()); now != h.typed {
		h.typed = now
		h.layout()
	}
	return cmd, false
}

// Typing implements widget.Dialog.
func (*helpDialog) Typing() bool { return true }

// Actions implements widget.Dialog. The key that opened it also closes it.
func (h *helpDialog) Actions() []keys.Action {
	run := keys.Action{Name: keys.DialogEnter, Label: h.runWords, Do: func() tea.Cmd {
		h.Close() // the dialog that it opens replaces this one
		if r := h.row(); r != nil && r.do != nil {
			return r.do()
		}
		return nil
	}}
	next := keys.Action{Name: keys.DialogNext, Label: h.nextWords, Do: h.next}
	return slices.Concat([]keys.Action{run}, widget.Choosing(h.move, func() int { return max(1, h.cols*h.area.Dy()) }),
		[]keys.Action{h.Closing(), next, {Name: keys.Help, Text: "close", Do: keys.Does(h.Close)}})
}

// next shows the next page, and after the last one the guide.
func (h *helpDialog) next() tea.Cmd {
	if h.at++; h.at == len(h.pages) {
		h.Close()
		return h.a.openGuide()
	}
	h.layout()
	return nil
}

func (h *helpDialog) nextWords() string {
	if h.at+1 < len(h.pages) {
		return strings.ToLower(h.pages[h.at+1].title)
	}
	return "guide"
}

func (h *helpDialog) runWords() string {
	if slices.ContainsFunc(h.pages[h.at].rows, func(r helpRow) bool { return r.do != nil }) {
		return "run"
	}
	return ""
}

// row returns the chosen row, nil for none.
func (h *helpDialog) row() *helpRow {
	if h.chosen < len(h.lines) {
		return h.lines[h.chosen].row
	}
	return nil
}

// move moves the selection by n lines, or to the nearest line that is not a heading.
func (h *helpDialog) move(n int) {
	step := 1
	if n < 0 {
		step = -1
	}
	i := max(0, min(h.chosen+n, len(h.lines)-1))
	for ; i >= 0 && i < len(h.lines) && h.lines[i].row == nil; i += step {
	}
	if i >= 0 && i < len(h.lines) {
		h.chosen = i
	}
}

// lineAt returns the clicked line.
func (h *helpDialog) lineAt(x, y int) (i int, ok bool) {
	if h.cols == 0 || !uv.Pos(x, y).In(h.area) {
		return 0, false
	}
	i = h.top + (x-h.area.Min.X)/max(1, h.area.Dx()/h.cols)*h.area.Dy() + y - h.area.Min.Y
	return i, i < len(h.lines) && h.lines[i].row != nil
}

// fits reports whether a row contains all typed words.
func (h *helpDialog) fits(r *helpRow) bool {
	all := strings.ToLower(r.keys + " " + r.words + " " + r.group + " " + string(r.act))
	for _, w := range strings.Fields(strings.ToLower(h.typed)) {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// layout builds the lines of the page that match the typed text, and selects the first key.
func (h *helpDialog) layout() {
	h.lines, h.chosen = nil, 0
	group := ""
	for i := range h.pages[h.at].rows {
		r := &h.pages[h.at].rows[i]
		if !h.fits(r) {
			continue
		}
		if r.group != group {
			if group = r.group; len(h.lines) > 0 {
				h.lines = append(h.lines, helpLine{})
			}
			h.lines = append(h.lines, helpLine{head: group})
		}
		h.lines = append(h.lines, helpLine{row: r})
	}
	h.move(0)
}

// keysWidth is the maximum width of the keys, in cells.
const keysWidth = 14

// twoColumns is the minimum width, in cells, for two columns of keys.
const twoColumns = 70

// Draw implements widget.Dialog.
func (h *helpDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	w := min(110, screen.Dx())
	if h.cols = 1; w-4 >= twoColumns && !h.pages[h.at].whole {
		h.cols = 2
	}
	rows := max(5, (len(h.lines)+h.cols-1)/h.cols)
	in := draw.Frame(buf, draw.Centred(screen, w, min(screen.Dy(), rows+4)), sty, h.pages[h.at].title, h.Hints())
	if in.Dy() < 3 {
		return nil
	}
	n := draw.Put(buf, in.Min.X, in.Min.Y, 2, sty.Accent, "› ")
	cur := h.filter.Draw(buf, uv.Rect(in.Min.X+n, in.Min.Y, in.Dx()-n, 1))
	h.area = uv.Rect(in.Min.X, in.Min.Y+1, in.Dx(), in.Dy()-2)
	if len(h.lines) == 0 {
		draw.PutWrapped(buf, h.area, sty.Dim, "no match")
		return cur
	}
	page := h.cols * h.area.Dy()
	h.top = h.chosen / page * page
	width := h.area.Dx() / h.cols
	for i := h.top; i < min(h.top+page, len(h.lines)); i++ {
		x, y := h.area.Min.X+(i-h.top)/h.area.Dy()*width, h.area.Min.Y+(i-h.top)%h.area.Dy()
		h.line(buf, uv.Rect(x, y, width-1, 1), i, sty)
	}
	h.drawDetail(buf, uv.Rect(in.Min.X, in.Max.Y-1, in.Dx(), 1), page, sty)
	return cur
}

// line draws a line of the list.
func (h *helpDialog) line(buf uv.ScreenBuffer, room uv.Rectangle, i int, sty *draw.Styles) {
	l := &h.lines[i]
	if l.row == nil {
		draw.Put(buf, room.Min.X, room.Min.Y, room.Dx(), sty.Title, l.head)
		return
	}
	key, words := sty.Key, sty.Base
	switch {
	case i == h.chosen:
		key, words = sty.Selected, sty.Selected
		draw.Fill(buf, room, sty.Selected)
	case l.row.why != "":
		key, words = sty.Faint, sty.Faint
	}
	col := min(keysWidth, room.Dx()/3)
	n := draw.Put(buf, room.Min.X, room.Min.Y, max(col, room.Dx()/2), key, l.row.keys)
	col = max(col, n+1)
	draw.Put(buf, room.Min.X+col, room.Min.Y, room.Dx()-col, words, ansi.Truncate(l.row.words, room.Dx()-col, "…"))
}

// drawDetail draws a line about the chosen row: why its action is not available now, else its full
// text if that was cut, else a hint that more rows follow.
func (h *helpDialog) drawDetail(buf uv.ScreenBuffer, area uv.Rectangle, page int, sty *draw.Styles) {
	r := h.row()
	switch {
	case r != nil && r.why != "":
		draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), sty.Warning, ansi.Truncate("not now: "+r.why, area.Dx(), "…"))
	case r != nil && ansi.StringWidth(r.words) > h.area.Dx()/h.cols-keysWidth-1:
		draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), sty.Dim, ansi.Truncate(r.words, area.Dx(), "…"))
	case h.top+page < len(h.lines):
		draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), sty.Dim, "↓ more")
	}
}
