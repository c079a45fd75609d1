package pane

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// ListDialog is a list in a dialog. A double click does what DialogEnter does.
type ListDialog[T any] struct {
	widget.Base
	List[T]
	Title string
	Wide  int           // maximum width in cells, 0 for 100
	Own   []keys.Action // the most useful first
	// Text returns styled lines about the chosen thing, shown below the list. If they do not fit,
	// PageUp and PageDown scroll them instead of the list. Nil if there is only the list.
	Text   func(x *T, w int) []string
	sheet  widget.Sheet
	shown  string // key of the thing with that text
	clicks widget.Clicks
}

// Actions implements widget.Dialog.
func (d *ListDialog[T]) Actions() []keys.Action {
	choosing := append(widget.Choosing(d.Move, func() int { return d.Page }), widget.Ends(d.Move)...)
	list := slices.Clone(d.Own)
	if d.Text != nil {
		pages := keys.When(func() bool { return d.sheet.Max > 0 }, d.sheet.Paging()...)
		pages[1].Hint = "scroll"
		list = append(list, pages...)
	}
	return append(append(list, d.Closing()), keys.When(d.Has, choosing...)...)
}

// Handle implements widget.Dialog.
func (d *ListDialog[T]) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		switch {
		case d.Text != nil && m.Y >= d.body.Max.Y:
			d.sheet.Handle(m)
		case m.Button == tea.MouseWheelUp:
			d.Move(-1)
		default:
			d.Move(1)
		}
	case tea.MouseClickMsg:
		d.Click(m.X, m.Y)
		i := slices.IndexFunc(d.Own, func(a keys.Action) bool {
			return a.Name == keys.DialogEnter && a.IsVisible() && a.Why() == ""
		})
		if d.clicks.IsDouble(m) && i >= 0 && d.Has() {
			return d.Own[i].Do(), false
		}
	}
	return nil, false
}

// Draw implements widget.Dialog.
func (d *ListDialog[T]) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	w := min(cmp.Or(d.Wide, 100), screen.Dx())
	d.measure(w - 4)
	rows, text := 1, []string(nil)
	if n := len(d.Ends); n > 0 {
		rows = d.Ends[n-1]
	} else if d.Loaded {
		rows = len(draw.Wrap(d.emptyText(), w-4))
	}
	if x := d.Item(); x != nil && d.Text != nil {
		text = d.Text(x, max(1, w-5))
		rows = min(rows, max(2, screen.Dy()/3, screen.Dy()-3-len(text)))
	}
	rows += len(d.above(w-4, screen.Dy()))
	h := rows + 2
	if text != nil {
		h += 1 + len(text)
	}
	in := draw.Frame(buf, draw.Centred(screen, w, max(5, h)), sty, d.Title, d.Hints())
	if in.Empty() {
		return nil
	}
	if chosen := d.GroupList.Key(); chosen != d.shown {
		d.shown, d.sheet.Top = chosen, 0
	}
	list := in
	if text != nil && in.Dy() > 3 {
		list.Max.Y = in.Min.Y + min(rows, in.Dy()-2)
		for x := in.Min.X; x < in.Max.X; x++ {
			draw.Put(buf, x, list.Max.Y, 1, sty.Border, "─")
		}
		d.sheet.Draw(buf, uv.Rect(in.Min.X, list.Max.Y+1, in.Dx(), in.Max.Y-list.Max.Y-1), text, sty)
	}
	list.Max.X++ // the scrollbar is beside the text
	d.List.Draw(buf, list, true)
	return nil
}
