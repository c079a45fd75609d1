package widget

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// FilterLine is the line that the text to narrow a list by is written in. It is a
// dialog that leaves the list in view and lets it be moved in.
type FilterLine struct {
	In   *Input
	Page func() int                       // rows of the list that are in view
	Move func(n int)                      // goes n rows down in the list
	Set  func(text string) tea.Cmd        // narrows the list; "" shows all again
	Area func() (_ uv.Rectangle, ok bool) // where it stands, not ok while its list is not shown
}

// NewFilterLine makes a line with a text in it; placeholder says what may be written
// there.
func NewFilterLine(lk *look.Look, placeholder, text string) *FilterLine {
	f := &FilterLine{In: NewInput(true)}
	f.In.Dress(lk)
	f.In.Area.Placeholder = placeholder
	f.In.Set(text)
	f.In.Focus()
	return f
}

// Handle implements Dialog: arrows move in the list, everything else is written.
func (f *FilterLine) Handle(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			f.Move(-3)
		} else {
			f.Move(3)
		}
		return nil, false
	case tea.MouseClickMsg:
		return nil, true
	case tea.KeyPressMsg:
		switch m.Keystroke() {
		case "esc", "ctrl+c":
			return f.Set(""), true
		case "enter", "tab":
			return nil, true
		case "up", "ctrl+k":
			f.Move(-1)
			return nil, false
		case "down", "ctrl+j":
			f.Move(1)
			return nil, false
		case "pgup":
			f.Move(-f.Page())
			return nil, false
		case "pgdown":
			f.Move(f.Page())
			return nil, false
		}
	case tea.PasteMsg:
	default:
		return nil, false
	}
	cmd = f.In.Update(msg)
	return tea.Batch(cmd, f.Set(f.In.Value())), false
}

// Hints implements Dialog.
func (f *FilterLine) Hints() string {
	return Hints("enter keep filter", "↑↓ choose", "esc clear filter", TypedHelp)
}

// Draw implements Dialog.
func (f *FilterLine) Draw(buf uv.ScreenBuffer, _ uv.Rectangle, lk *look.Look) *painter.Cursor {
	area, ok := f.Area()
	if !ok || area.Empty() {
		return nil
	}
	look.Fill(buf, area, lk.Base)
	n := look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Accent, "/ ")
	return f.In.Draw(buf, uv.Rect(area.Min.X+n, area.Min.Y, max(0, area.Dx()-n), 1))
}
