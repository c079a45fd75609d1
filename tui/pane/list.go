package pane

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// List lists things of a chat under headings: one is chosen, several may be marked, a filter
// narrows it. It is the body of a pane, of one of its views, or of a dialog. Its functions are set
// once; those that may be nil are marked as such. It belongs to the screen's goroutine.
type List[T any] struct {
	GroupList
	// Source returns a function that reads the things of a chat, away from the screen's goroutine.
	// took is called on it after Items was set, and may change Items; it may be nil.
	Source   func() func(chat storage.ChatID) (items []T, took func(), err error)
	ID       func(x *T) string   // identifies it as long as it exists
	Head     func(x *T) string   // its heading; equal ones must be adjacent; may be nil
	IsHidden func(x *T) bool     // shown only on demand; may be nil
	Folded   func(x *T) bool     // in a folded group: only the filter shows it; may be nil
	Fixed    func(x *T) bool     // it cannot be marked; may be nil
	Search   func(x *T) []string // texts that the filter searches; may be nil
	Row      func(x *T, w int) Row
	Detail   func(x *T, w int) []string // styled lines about the chosen one, below the list; may be nil
	// FullDetail replaces Detail if it fits into half a pane; may be nil.
	FullDetail   func(x *T, w int) []string
	OnChatChange func() // called when another chat was opened; may be nil
	Empty        func() string
	LoadingText  string // shown while it is read for the first time
	// HeadingNote returns the text after a heading, in place of the count of things under it. May
	// be nil.
	HeadingNote func(head string) string
	// Above returns styled lines above the list, of w cells in a pane of h lines. They take at most
	// half of it. May be nil.
	Above func(w, h int) []string
	// Marks keeps a cell of each row for the mark of a selected one.
	Marks bool
	// Wrapped makes each row as tall as its texts, see Row.Lines.
	Wrapped bool
	// Everywhere is set for things that do not belong to a chat: they are read and shown without
	// one.
	Everywhere bool

	Items []T // as they were read; not to be changed

	area          uv.Rectangle // of the last frame
	body          uv.Rectangle // of the rows there
	lines         []int        // index in Lines for each line of body
	filterLine    *widget.FilterLine
	measuredWidth int // cells that the heights of wrapped rows are for
}

// Row is the appearance of a thing in a list.
type Row struct {
	Sign       string   // one cell as a rule; the texts follow it
	SignStyle  uv.Style // the zero value is the text's style
	Text       string
	Column     string // after the text, dim; in its own column if there is room
	Faint      bool
	Strong     bool
	Right      string   // at the right edge
	RightStyle uv.Style // dim if it is zero
	More       string   // a second line, dim; the list has two lines a row then, see NewList
	// Lines and MoreLines are the maximum numbers of lines for Text and More in a wrapped list, at
	// least one.
	Lines, MoreLines int
}

// indent returns the number of cells before the texts.
func (r *Row) indent() int { return max(1, ansi.StringWidth(r.Sign)) + 1 }

// heights returns the number of lines of a wrapped row's texts in w cells.
func (r *Row) heights(w int) (text, more int) {
	w -= r.indent()
	in := w
	if r.Right != "" {
		in -= ansi.StringWidth(r.Right) + 1
	}
	text = min(max(1, r.Lines), len(draw.Wrap(draw.Truncate(r.Text, r.longest(in)), in)))
	if r.More != "" {
		more = min(max(1, r.MoreLines), len(draw.Wrap(draw.Truncate(r.More, (r.MoreLines+1)*w), w)))
	}
	return max(1, text), more
}

// longest returns the number of cells of a text that are laid out at w cells per line.
func (r *Row) longest(w int) int { return max(600, (r.Lines+1)*w) }

// NewList returns a list without functions, whose rows have at least the given number of lines.
func NewList[T any](d Host, lines int) List[T] {
	l := List[T]{GroupList: NewGroupList(d, nil)}
	l.Height = lines
	return l
}

// Read reads the things of the open chat. If another one was opened the list is reset.
func (l *List[T]) Read() tea.Cmd {
	chat := l.Host.Play().Chat().Chat.ID
	if l.Everywhere {
		chat = everywhere
	}
	if l.Chat != chat {
		l.Reset(chat)
		if l.Items = nil; l.OnChatChange != nil {
			l.OnChatChange()
		}
	}
	if l.Chat == "" {
		return nil
	}
	read := l.Source()
	return l.Load(func(chat storage.ChatID) (func() []GroupRow, error) {
		items, took, err := read(chat)
		return func() []GroupRow {
			l.Items = items
			if took != nil {
				took()
			}
			return l.makeRows(l.Items)
		}, err
	})
}

// everywhere is used as the chat of a list that does not depend on the chat.
const everywhere storage.ChatID = "*"

// makeRows sets the items and returns their rows.
func (l *List[T]) makeRows(items []T) []GroupRow {
	l.Items, l.measuredWidth = items, 0
	heads := map[string]int{}
	l.Groups = nil
	rows := make([]GroupRow, len(items))
	for i := range items {
		x, head := &items[i], ""
		if l.Head != nil {
			head = l.Head(x)
		}
		at, ok := heads[head]
		if !ok {
			at = len(l.Groups)
			heads[head], l.Groups = at, append(l.Groups, head)
		}
		rows[i] = GroupRow{Key: l.ID(x), Group: at, Hidden: l.IsHidden != nil && l.IsHidden(x),
			Folded: l.Folded != nil && l.Folded(x), Fixed: l.Fixed != nil && l.Fixed(x)}
		if l.Search != nil {
			rows[i].Text = SearchText(l.Search(x)...)
		}
	}
	return rows
}

// Show sets things that were read elsewhere. The selection stays with its thing.
func (l *List[T]) Show(items []T) {
	l.Loaded, l.Fault, l.Items = true, nil, items
	l.Arrange()
}

// Arrange rebuilds the rows after the results of Head or IsHidden have changed.
func (l *List[T]) Arrange() {
	was := l.GroupList.Key()
	l.GroupList.Rows = l.makeRows(l.Items)
	l.DropMarks()
	l.LayOut(was)
}

// measure sets the heights of a wrapped list's rows in w cells.
func (l *List[T]) measure(w int) {
	if !l.Wrapped || l.measuredWidth == w {
		return
	}
	l.measuredWidth = w
	if l.Marks {
		w--
	}
	rows := slices.Clone(l.GroupList.Rows)
	for i := range rows {
		r := l.Row(&l.Items[i], w)
		text, more := r.heights(w)
		rows[i].Height = text + more
	}
	l.GroupList.Rows = rows
	l.LayOut(l.Key())
}

// Item returns the chosen thing, nil for none.
func (l *List[T]) Item() *T {
	if i, ok := l.Chosen(); ok && i < len(l.Items) {
		return &l.Items[i]
	}
	return nil
}

// Has reports whether a thing is chosen.
func (l *List[T]) Has() bool { return l.Item() != nil }

// On returns the command of an action on the selected item. Call it only while Has is true.
func (l *List[T]) On(do func(x T) tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd { return do(*l.Item()) }
}

// Is returns a function that reports whether the selected item matches.
func (l *List[T]) Is(match func(x *T) bool) func() bool {
	return func() bool { x := l.Item(); return x != nil && match(x) }
}

// Click implements Pane: it chooses a row.
func (l *List[T]) Click(_, y int) tea.Cmd {
	if i := y - l.body.Min.Y; i >= 0 && i < len(l.lines) {
		l.Pick(l.lines[i])
	}
	return nil
}

// twoLineHeight is the minimum height at which details of the chosen thing are shown below the
// list.
const twoLineHeight = 14

// columnWidth is the minimum width, in cells, at which the text beside the others has its own
// column.
const columnWidth = 60

// Draw implements Pane.
func (l *List[T]) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	l.area, l.body, l.lines, l.Page = area, area, l.lines[:0], 0
	sty := l.Host.Styles()
	switch {
	case l.Chat == "":
		DrawNoChat(l.Host, buf, area)
		return
	case l.DrawUnread(buf, area):
		if l.Fault == nil {
			draw.PutWrapped(buf, area, sty.Dim, l.LoadingText)
		}
		return
	}
	l.measure(area.Dx() - 1)
	above := l.above(area.Dx(), area.Dy())
	for _, line := range above[:min(len(above), area.Dy()/2)] {
		draw.PutStyled(buf, l.body.Min.X, l.body.Min.Y, area.Dx(), line)
		l.body.Min.Y++
	}
	if len(l.Lines) == 0 {
		draw.PutWrapped(buf, l.body, sty.Dim, l.emptyText())
		return
	}
	if x := l.Item(); x != nil && l.Detail != nil && area.Dy() >= twoLineHeight {
		l.body.Max.Y -= draw.PutBelow(buf, l.body, l.linesBelow(x, area.Dx()-2), sty)
	}
	l.drawRows(buf, focused || l.filterLine != nil &&
		slices.Contains(l.Host.Dialogs().All, widget.Dialog(l.filterLine)))
	draw.Scrollbar(buf, uv.Rect(l.body.Max.X-1, l.body.Min.Y, 1, l.body.Dy()), l.Start(l.Top),
		l.Ends[len(l.Ends)-1], sty)
}

// linesBelow returns the lines about a thing below the list.
func (l *List[T]) linesBelow(x *T, w int) []string {
	if l.FullDetail != nil {
		if lines := l.FullDetail(x, w); len(lines) <= l.body.Dy()/2 {
			return lines
		}
	}
	lines := l.Detail(x, w)
	return lines[:min(len(lines), draw.MaxBelow, l.body.Dy()/3)]
}

// above returns the lines above the list. The filter and its number of hits replace the first one.
func (l *List[T]) above(w, h int) (lines []string) {
	sty := l.Host.Styles()
	if l.Above != nil {
		lines = l.Above(w, h)
	}
	marked := ""
	if n := len(l.Marked); n > 0 {
		marked = strconv.Itoa(n) + " selected"
	}
	switch {
	case l.Filter.Active():
		right := draw.Join(marked, strconv.Itoa(len(l.Filter.Hits)))
		lines = append([]string{sty.Accent.Styled(draw.Clip("/ "+l.Filter.Text, w-len(right)-1)) + " " +
			sty.Dim.Styled(right)}, lines[min(1, len(lines)):]...)
	case marked != "" && len(lines) > 0:
		lines = append([]string{sty.Dim.Styled(marked+draw.Separator) + lines[0]}, lines[1:]...)
	case marked != "":
		lines = []string{sty.Dim.Styled(marked)}
	}
	return lines
}

// emptyText returns the reason why no row is shown.
func (l *List[T]) emptyText() string {
	switch {
	case l.Filter.Active() && !l.Filter.Done:
		return "searching …"
	case l.Filter.Active():
		return "No match for “" + draw.Truncate(l.Filter.Text, 40) + "”."
	}
	return l.Empty()
}

// drawRows draws the visible lines. If there is room below the last one, texts take as many lines
// as they need.
func (l *List[T]) drawRows(buf uv.ScreenBuffer, focused bool) {
	area := l.body
	area.Max.X--
	from, to := l.View(area.Dy())
	spare := max(0, area.Dy()-l.Ends[len(l.Ends)-1])
	for i := from; i < to; i++ {
		least := l.Outline.Rows[i].Height
		at := uv.Rect(area.Min.X, area.Min.Y+len(l.lines), area.Dx(),
			min(least+spare, area.Max.Y-area.Min.Y-len(l.lines)))
		took := max(least, l.drawLine(buf, at, i, focused))
		for spare -= took - least; took > 0; took-- {
			l.lines = append(l.lines, i)
		}
	}
}

// drawLine draws a row, or a heading with the count of things under it. It returns the number of
// the area's lines used.
func (l *List[T]) drawLine(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) int {
	sty, n := l.Host.Styles(), l.Lines[i]
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if n < 0 {
		used := draw.Put(buf, x, y, w, sty.Title, l.Groups[-1-n])
		beside := strconv.Itoa(l.Counts[-1-n])
		if l.HeadingNote != nil {
			beside = l.HeadingNote(l.Groups[-1-n])
		}
		draw.Put(buf, x+used+1, y, w-used-1, sty.Faint, beside)
		return 1
	}
	r, st, dim := l.Row(&l.Items[n], w), sty.Base, sty.Dim
	switch {
	case r.Faint:
		st = sty.Dim
	case r.Strong:
		st = sty.Strong
	}
	mark, plain := sty.Accent, r.SignStyle.IsZero()
	if i == l.At && focused {
		st, dim, mark = sty.Selected, sty.SelectedDim, sty.Selected
		draw.Fill(buf, uv.Rect(x, y, w, 1), st)
		r.RightStyle = dim
	}
	if r.RightStyle.IsZero() {
		r.RightStyle = dim
	}
	if l.Marks {
		if l.Marked[l.GroupList.Rows[n].Key] {
			draw.Put(buf, x, y, 1, mark, "✓")
		}
		x, w = x+1, w-1
	}
	if r.SignStyle.Bg = st.Bg; plain {
		r.SignStyle = st
	}
	in, first, more := r.indent(), 1, min(1, len(r.More))
	draw.Put(buf, x, y, in-1, r.SignStyle, r.Sign)
	end := draw.PutRight(buf, x+in, y, w-in, r.RightStyle, r.Right)
	if l.Wrapped {
		first, more = r.heights(w)
	}
	if r.Column != "" {
		at, avail := ansi.StringWidth(r.Text)+2, end-1-x-in
		if column := max(20, w*2/5); w >= columnWidth && avail-column >= 12 {
			at = column
		}
		if avail-at >= 6 {
			draw.Put(buf, x+in+at, y, avail-at, dim, r.Column)
			end = x + in + at - 1
		}
	}
	text := area
	text.Max.Y = y + max(1, min(max(first, area.Dy()-more), area.Dy()-min(1, more)))
	used := draw.PutRest(buf, text, x+in, end-1, st, draw.Truncate(r.Text, r.longest(w)))
	if more = min(more, area.Dy()-used); more > 0 {
		used += draw.PutRest(buf, uv.Rect(x, y+used, w, more), x+in, x+w, sty.Dim, r.More)
	}
	return used
}

// Filtering returns the action that filters the list by words, and the one that shows all again.
// pane returns the pane with the list, nil if that shows another one.
func (l *List[T]) Filtering(pane func() Pane) []keys.Action {
	return []keys.Action{
		{Name: keys.PaneFilter, Text: "filter", Hint: "filter", Do: func() tea.Cmd {
			f := widget.NewFilterLine(l.Host.Styles(), "filter by words", l.Filter.Text)
			f.Page, f.Move, f.Set = func() int { return l.Page }, l.Move, l.SetFilter
			f.Area = func() (uv.Rectangle, bool) {
				return uv.Rect(l.area.Min.X, l.area.Min.Y, l.area.Dx(), min(1, l.area.Dy())),
					l.Host.Panes().Current() == pane()
			}
			l.filterLine = f
			l.Host.Open(f)
			return nil
		}},
		{Name: keys.ToBrowse, Text: "unselect all, or show all rows", Do: l.clearFilter,
			Visible: func() bool { return l.Filter.Active() || len(l.Marked) > 0 }},
	}
}

// clearFilter removes the marks, or if there are none the filter.
func (l *List[T]) clearFilter() tea.Cmd {
	if len(l.Marked) > 0 {
		clear(l.Marked)
		return nil
	}
	return l.SetFilter("")
}
