package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// helpRow is a key of the help, and what it does.
type helpRow struct {
	act   keys.Action
	keys  string
	words string
	why   string // it cannot be done now, "" when it can
	group string
	do    func() tea.Cmd // nil where the row is for reading only
}

// helpPage is what the help shows at a time.
type helpPage struct {
	title string
	rows  []helpRow
}

// helpDialog shows pages of keys, narrowed by what is typed. Enter does what the chosen
// row says.
type helpDialog struct {
	a      *app
	pages  []helpPage
	at     int // of pages
	filter *widget.Input
	typed  string // that the list is narrowed to
	list   widget.Outline
	lines  []helpLine // of the list
	width  int        // that they were laid out for
	stale  bool       // they are those of another page, or of other text
	area   uv.Rectangle
}

// helpLine is a row of the list: a heading, or a key with what it does in lines.
type helpLine struct {
	head  string
	row   *helpRow
	words []string
}

func newHelp(a *app, pages []helpPage) *helpDialog {
	h := &helpDialog{a: a, pages: pages, filter: widget.NewInput(true), stale: true}
	h.filter.Dress(a.lk)
	h.filter.Area.Placeholder = "type to filter"
	h.filter.Focus()
	return h
}

// Handle implements widget.Dialog.
func (h *helpDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			h.list.Move(-3)
		} else {
			h.list.Move(3)
		}
		return nil, false
	case tea.MouseClickMsg:
		h.list.Click(m.Y - h.area.Min.Y)
		return nil, false
	case tea.KeyPressMsg:
		if cmd, done, taken := h.key(m); taken {
			return cmd, done
		}
	}
	cmd := h.filter.Update(msg)
	if now := strings.TrimSpace(h.filter.Value()); now != h.typed {
		h.typed, h.stale, h.list.At, h.list.Top = now, true, 0, 0
		h.lay(h.width)
	}
	return cmd, false
}

// key does what a key means that is not text; taken is false for text.
func (h *helpDialog) key(m tea.KeyPressMsg) (cmd tea.Cmd, done, taken bool) {
	switch k := m.Keystroke(); {
	case k == "esc", k == "ctrl+c", k == "f1", m.Text == "?" && h.filter.Value() == "":
		return nil, true, true
	case k == "tab":
		if h.at++; h.at == len(h.pages) {
			return h.a.openGuide(), true, true
		}
		h.stale, h.list.At, h.list.Top = true, 0, 0
		h.lay(h.width)
	case k == "enter":
		if i := h.list.Chosen(); i >= 0 && i < len(h.lines) && h.lines[i].row.do != nil {
			do := h.lines[i].row.do
			h.a.dialogs.Close(h) // what it opens stands in its place
			return do(), true, true
		}
		return nil, true, true
	case k == "up", k == "ctrl+k":
		h.list.Move(-1)
	case k == "down", k == "ctrl+j":
		h.list.Move(1)
	case k == "pgup":
		h.turn(-1)
	case k == "pgdown":
		h.turn(1)
	default:
		return nil, false, false
	}
	return nil, false, true
}

// turn chooses the row a page above or below.
func (h *helpDialog) turn(step int) {
	if len(h.lines) == 0 {
		return
	}
	from := h.list.Start(h.list.At)
	for at := -1; at != h.list.At && max(h.list.Start(h.list.At)-from, from-h.list.Start(h.list.At)) < h.list.Page-2; {
		at = h.list.At
		h.list.Move(step)
	}
}

// Hints implements widget.Dialog.
func (h *helpDialog) Hints() string {
	next := "tab guide"
	if h.at+1 < len(h.pages) {
		next = "tab " + strings.ToLower(h.pages[h.at+1].title)
	}
	do := ""
	if slices.ContainsFunc(h.pages[h.at].rows, func(r helpRow) bool { return r.do != nil }) {
		do = "enter run"
	}
	return widget.Hints(do, "↑↓ choose", "esc close", next)
}

// fits tells whether a row has all words of what was typed.
func (h *helpDialog) fits(r *helpRow) bool {
	all := strings.ToLower(r.keys + " " + r.words + " " + r.group + " " + string(r.act))
	for _, w := range strings.Fields(strings.ToLower(h.typed)) {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// keysWidth is how many cells the keys have at most.
const keysWidth = 20

// lay lays the rows out for w cells.
func (h *helpDialog) lay(w int) {
	if h.width == w && !h.stale {
		return
	}
	h.width, h.stale, h.lines = w, false, nil
	var rows []widget.OutlineRow
	page, group := &h.pages[h.at], ""
	col := h.column(w)
	for i := range page.rows {
		r := &page.rows[i]
		if !h.fits(r) {
			continue
		}
		if r.group != group {
			if group = r.group; len(h.lines) > 0 {
				h.lines, rows = append(h.lines, helpLine{}), append(rows, widget.OutlineRow{Height: 1, Heading: true})
			}
			h.lines, rows = append(h.lines, helpLine{head: group}), append(rows, widget.OutlineRow{Height: 1, Heading: true})
		}
		words := r.words
		if r.why != "" {
			words += look.Separator + "not now: " + r.why
		}
		l := helpLine{row: r, words: look.Wrap(words, max(1, w-col-2))}
		if ansi.StringWidth(r.keys) > col {
			l.words = append([]string{""}, l.words...) // below its keys
		}
		h.lines, rows = append(h.lines, l), append(rows, widget.OutlineRow{Height: len(l.words)})
	}
	h.list.Fill(rows)
}

// column is how many cells the keys of the page take.
func (h *helpDialog) column(w int) int {
	col := 0
	for _, r := range h.pages[h.at].rows {
		if n := ansi.StringWidth(r.keys); n <= keysWidth {
			col = max(col, n)
		}
	}
	return max(5, min(col, w/3))
}

// Draw implements widget.Dialog.
func (h *helpDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(90, screen.Dx())
	h.lay(w - 5)
	room := min(screen.Dy(), 1+len(h.lines)+8)
	if n := len(h.list.Ends); n > 0 {
		room = min(screen.Dy(), h.list.Ends[n-1]+3)
	}
	in := look.Frame(buf, look.Centred(screen, w, max(8, room)), lk, h.pages[h.at].title, h.Hints())
	if in.Dy() < 2 {
		return nil
	}
	n := look.Put(buf, in.Min.X, in.Min.Y, 2, lk.Accent, "› ")
	cur := h.filter.Draw(buf, uv.Rect(in.Min.X+n, in.Min.Y, in.Dx()-n, 1))
	h.area = uv.Rect(in.Min.X, in.Min.Y+1, in.Dx(), in.Dy()-1)
	if len(h.lines) == 0 {
		look.PutWrapped(buf, h.area, lk.Dim, "no match")
		return cur
	}
	h.list.First = 0
	col := h.column(w - 5)
	h.list.Show(h.area, func(i int, room uv.Rectangle) { h.row(buf, room, i, col, lk) })
	look.Scrollbar(buf, uv.Rect(in.Max.X, h.area.Min.Y, 1, h.area.Dy()), h.list.Start(h.list.Top), h.list.Ends[len(h.list.Ends)-1], lk)
	return cur
}

// row draws a line of the list.
func (h *helpDialog) row(buf uv.ScreenBuffer, room uv.Rectangle, i, col int, lk *look.Look) {
	l := &h.lines[i]
	if l.row == nil {
		look.Put(buf, room.Min.X, room.Min.Y, room.Dx(), lk.Title, l.head)
		return
	}
	key, words := lk.Key, lk.Base
	switch {
	case i == h.list.Chosen():
		key, words = lk.Selected, lk.Selected
		look.Fill(buf, room, lk.Selected)
	case l.row.why != "":
		key, words = lk.Faint, lk.Faint
	}
	look.Put(buf, room.Min.X, room.Min.Y, room.Dx(), key, l.row.keys)
	for y, text := range l.words {
		if y < room.Dy() {
			look.Put(buf, room.Min.X+col+2, room.Min.Y+y, room.Dx()-col-2, words, text)
		}
	}
}
