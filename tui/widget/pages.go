package widget

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Pages is a dialog of pages that shows one at a time.
type Pages struct {
	Base
	Sheet
	Count int // pages
	At    int // index of the current one
	Title func(i int) string
	Lay   func(i, w int, sty *draw.Styles) []string // styled and safe
	lines []string                                  // of a page, laid out for a width
	width int
	shown int
}

// Actions implements Dialog.
func (d *Pages) Actions() []keys.Action {
	turn := func(name keys.Name, step int) keys.Action {
		return keys.Action{Name: name, Do: keys.Does(func() {
			if to := d.At + step; to >= 0 && to < d.Count {
				d.At, d.Sheet.Top = to, 0
			}
		})}
	}
	back, on := turn(keys.DialogLeft, -1), turn(keys.DialogRight, 1)
	back.Hint, back.Until = "page", keys.DialogRight
	return slices.Concat([]keys.Action{back, on}, d.Scrolling(),
		[]keys.Action{d.Closing(), {Name: keys.DialogEnter, Text: "close", Do: keys.Does(d.Close)}})
}

// Handle implements Dialog.
func (d *Pages) Handle(msg tea.Msg) (tea.Cmd, bool) {
	d.Sheet.Handle(msg)
	return nil, false
}

// Draw implements Dialog.
func (d *Pages) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	area := draw.Centred(screen, 100, screen.Dy())
	in := draw.Frame(buf, area, sty, d.Title(d.At), d.Hints())
	if w := in.Dx() - 1; d.lines == nil || d.width != w || d.shown != d.At {
		d.lines, d.width, d.shown = d.Lay(d.At, w, sty), w, d.At
	}
	in.Max.X--
	d.Sheet.Draw(buf, in, d.lines, sty)
	return nil
}
