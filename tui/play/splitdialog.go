package play

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// splitDialog is the part that dialogs share which have a list above the text of the chosen row.
type splitDialog struct {
	widget.Base
	widget.List
	sheet widget.Sheet
	area  uv.Rectangle // of the list
}

// moving are the actions that choose a row and scroll its text, and the one that closes the dialog.
func (d *splitDialog) moving() []keys.Action {
	pages := d.sheet.Scrolling()[2:4]
	pages[1].Hint = "scroll"
	rows := widget.Choosing(d.move, nil)[:2]
	return slices.Concat(rows, pages, widget.Ends(d.move), []keys.Action{d.Closing()})
}

// move chooses the row n below.
func (d *splitDialog) move(n int) {
	d.Move(n)
	d.sheet.Top = 0
}

// Handle implements widget.Dialog.
func (d *splitDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	d.sheet.Handle(msg)
	if m, ok := msg.(tea.MouseClickMsg); ok {
		if i := d.Top + m.Y - d.area.Min.Y; m.Y >= d.area.Min.Y && m.Y < d.area.Max.Y && i < d.N {
			d.move(i - d.At)
		}
	}
	return nil, false
}

// draw draws n rows, each by row, above the lines of the chosen one; empty is said where there are none.
func (d *splitDialog) draw(buf uv.ScreenBuffer, screen uv.Rectangle, title, empty string, n int, lines []string,
	lk *look.Look, row func(line uv.Rectangle, i int)) {
	rows := max(1, min(n, max(2, screen.Dy()/3)))
	in := look.Frame(buf, look.Centred(screen, splitWidth(screen), rows+1+len(lines)+2), lk, title, d.Hints())
	if in.Dy() < 3 {
		return
	}
	d.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), min(rows, in.Dy()-2))
	from, to := d.View(n, 1, d.area.Dy())
	for i := from; i < to; i++ {
		row(uv.Rect(in.Min.X, in.Min.Y+i-from, in.Dx(), 1), i)
	}
	if n == 0 {
		look.Put(buf, in.Min.X, in.Min.Y, in.Dx(), lk.Dim, empty)
	}
	look.Scrollbar(buf, uv.Rect(in.Max.X, in.Min.Y, 1, d.area.Dy()), from, n, lk)
	look.Put(buf, in.Min.X, d.area.Max.Y, in.Dx(), lk.Border, strings.Repeat("─", in.Dx()))
	d.sheet.Draw(buf, uv.Rect(in.Min.X, d.area.Max.Y+1, in.Dx(), in.Max.Y-d.area.Max.Y-1), lines, lk)
}

// splitWidth is how many cells the dialog has.
func splitWidth(screen uv.Rectangle) int { return min(100, screen.Dx()) }

// linesWidth is how many of them the lines below the list have.
func linesWidth(screen uv.Rectangle) int { return max(1, splitWidth(screen)-5) }
