package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/look"
)

// sheet is lines that may be more than there is room for.
type sheet struct{ at, page, most int }

// handle scrolls for keys and the wheel, and tells whether it did.
func (s *sheet) handle(msg tea.Msg) bool {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			s.at -= 3
		} else {
			s.at += 3
		}
		return true
	case tea.KeyPressMsg:
		switch pressed(m) {
		case "up", "k":
			s.at--
		case "down", "j":
			s.at++
		case "pgup", "b":
			s.at -= s.page
		case "pgdown", "space":
			s.at += s.page
		case "home", "g":
			s.at = 0
		case "end", "G":
			s.at = s.most
		default:
			return false
		}
		return true
	}
	return false
}

// pressed is a key's name; of a letter with shift it is the capital, however the
// terminal reports it.
func pressed(k tea.KeyPressMsg) string {
	if len(k.Text) == 1 && k.Text >= "A" && k.Text <= "Z" {
		return k.Text
	}
	return k.Keystroke()
}

// draw is show, and tells in the column right of area which part of all is in
// view.
func (s *sheet) draw(buf uv.ScreenBuffer, area uv.Rectangle, lines []string, lk *look.Look) {
	s.show(buf, area, lines)
	look.Scrollbar(buf, uv.Rect(area.Max.X, area.Min.Y, 1, area.Dy()), s.at, len(lines), lk)
}

// show draws the lines that are in view.
func (s *sheet) show(buf uv.ScreenBuffer, area uv.Rectangle, lines []string) {
	s.page = max(1, area.Dy()-1)
	s.most = max(0, len(lines)-area.Dy())
	s.at = max(0, min(s.at, s.most))
	for i := 0; i < area.Dy() && s.at+i < len(lines); i++ {
		look.PutStyled(buf, area.Min.X, area.Min.Y+i, area.Dx(), lines[s.at+i])
	}
}
