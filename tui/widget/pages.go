package widget

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Pages is a dialog of pages, of which one is shown at a time.
type Pages struct {
	Sheet
	Count int // pages
	At    int // the one that is shown
	Title func(i int) string
	Lay   func(i, w int, lk *look.Look) []string // styled and safe
	lines []string                               // of a page, laid out for a width
	width int
	shown int
}

// Handle implements Dialog.
func (d *Pages) Handle(msg tea.Msg) (tea.Cmd, bool) {
	step := 0
	switch Keystroke(msg) {
	case "esc", "q", "enter", "ctrl+c":
		return nil, true
	case "left", "h":
		step = -1
	case "right", "l":
		step = 1
	default:
		d.Sheet.Handle(msg)
	}
	if to := d.At + step; step != 0 && to >= 0 && to < d.Count {
		d.At, d.Sheet.Top = to, 0
	}
	return nil, false
}

// Hints implements Dialog.
func (d *Pages) Hints() string {
	return Hints("← → page", "↑↓ scroll", "esc close", FullHelp)
}

// Draw implements Dialog.
func (d *Pages) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := look.Centred(screen, 100, screen.Dy())
	in := look.Frame(buf, area, lk, d.Title(d.At), d.Hints())
	if w := in.Dx() - 1; d.lines == nil || d.width != w || d.shown != d.At {
		d.lines, d.width, d.shown = d.Lay(d.At, w, lk), w, d.At
	}
	in.Max.X--
	d.Sheet.Draw(buf, in, d.lines, lk)
	return nil
}
