package widget

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Sheet shows lines that may be more than there is room for. It is not the viewport of Bubbles:
// that measures all lines and returns the visible ones as a padded string, while these are drawn
// into cells.
type Sheet struct{ Top, Page, Max int }

// Handle scrolls with the wheel, and reports whether it did.
func (s *Sheet) Handle(msg tea.Msg) bool {
	m, ok := msg.(tea.MouseWheelMsg)
	switch {
	case !ok:
	case m.Button == tea.MouseWheelUp:
		s.Top -= 3
	default:
		s.Top += 3
	}
	return ok
}

// KeyName returns a key's name. A letter with shift is a capital, however the terminal reports it.
func KeyName(k tea.KeyPressMsg) string {
	if len(k.Text) == 1 && k.Text >= "A" && k.Text <= "Z" {
		return k.Text
	}
	return k.Keystroke()
}

// Draw is Show, with a scrollbar in the column right of area.
func (s *Sheet) Draw(buf uv.ScreenBuffer, area uv.Rectangle, lines []string, sty *draw.Styles) {
	s.Show(buf, area, lines)
	draw.Scrollbar(buf, uv.Rect(area.Max.X, area.Min.Y, 1, area.Dy()), s.Top, len(lines), sty)
}

// Show draws the visible lines.
func (s *Sheet) Show(buf uv.ScreenBuffer, area uv.Rectangle, lines []string) {
	s.Page = max(1, area.Dy()-1)
	s.Max = max(0, len(lines)-area.Dy())
	s.Top = max(0, min(s.Top, s.Max))
	for i := 0; i < area.Dy() && s.Top+i < len(lines); i++ {
		draw.PutStyled(buf, area.Min.X, area.Min.Y+i, area.Dx(), lines[s.Top+i])
	}
}
