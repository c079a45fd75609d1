package widget

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// FilterLine is the input line for the filter of a list. It is a dialog that leaves the list
// visible and lets the user move in it.
type FilterLine struct {
	Base
	In   *Input
	Page func() int                       // rows of the list that are in view
	Move func(n int)                      // goes n rows down in the list
	Set  func(text string) tea.Cmd        // narrows the list; "" shows all again
	Area func() (_ uv.Rectangle, ok bool) // its position, not ok while its list is not shown
}

// NewFilterLine makes a line with a text in it; placeholder is shown while it is empty.
func NewFilterLine(sty *draw.Styles, placeholder, text string) *FilterLine {
	f := &FilterLine{In: NewInput(true)}
	f.In.SetStyles(sty)
	f.In.Area.Placeholder = placeholder
	f.In.Set(text)
	f.In.Focus()
	return f
}

// Actions implements Dialog.
func (f *FilterLine) Actions() []keys.Action {
	keep := keys.Does(f.Close)
	return slices.Concat([]keys.Action{{Name: keys.DialogEnter, Hint: "keep filter", Do: keep},
		{Name: keys.DialogNext, Text: "keep filter", Do: keep}},
		Choosing(f.Move, f.Page), []keys.Action{
			{Name: keys.DialogClose, Hint: "clear filter", Do: func() tea.Cmd { f.Close(); return f.Set("") }}})
}

// Typing implements Dialog.
func (*FilterLine) Typing() bool { return true }

// Handle implements Dialog: all that is no key of the list is written.
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
	case tea.KeyPressMsg, tea.PasteMsg:
		cmd = f.In.Update(msg)
		return tea.Batch(cmd, f.Set(f.In.Value())), false
	}
	return nil, false
}

// Draw implements Dialog.
func (f *FilterLine) Draw(buf uv.ScreenBuffer, _ uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	area, ok := f.Area()
	if !ok || area.Empty() {
		return nil
	}
	draw.Fill(buf, area, sty.Base)
	n := draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), sty.Accent, "/ ")
	return f.In.Draw(buf, uv.Rect(area.Min.X+n, area.Min.Y, max(0, area.Dx()-n), 1))
}
