package widget

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Input is an editable text of one line or of many.
type Input struct {
	Area   Text
	Single bool
	Clean  string // the text when it was set
	// EnterSubmits is set if enter does something else: then only the other line end keys break the line.
	EnterSubmits bool
}

// NewInput makes an empty text, of a single line or of many.
func NewInput(single bool) *Input {
	in := &Input{Area: NewText(), Single: single}
	in.Area.Single = single
	return in
}

// SetStyles sets the theme's colours.
func (in *Input) SetStyles(sty *draw.Styles) {
	in.Area.ink = uv.Style{Fg: sty.Palette.Text}
	in.Area.dim = uv.Style{Fg: sty.Palette.Faint}
	in.Area.chosen = uv.Style{Fg: sty.Palette.SelectionText, Bg: sty.Palette.Selection}
}

// Set replaces the text, byte for byte, and puts the cursor at its end.
func (in *Input) Set(text string) {
	in.Area.SetValue(text)
	in.Clean = text
}

// Value returns the text as it is now.
func (in *Input) Value() string { return in.Area.Value() }

// Changed reports whether the text differs from the text that was set.
func (in *Input) Changed() bool { return in.Area.Value() != in.Clean }

// Insert inserts text at the cursor, as if it was typed.
func (in *Input) Insert(text string) { in.Area.InsertString(text) }

// Focus shows the cursor in the text.
func (in *Input) Focus() tea.Cmd { return in.Area.Focus() }

// Blur hides the cursor.
func (in *Input) Blur() { in.Area.Blur() }

// Resize sets the size of the text's area.
func (in *Input) Resize(w, h int) { in.Area.Resize(w, h) }

// Rows returns the number of rows of the text at the current width, no more than most.
func (in *Input) Rows(most int) int {
	if in.Single {
		return 1
	}
	return in.Area.Rows(most)
}

// Update passes a key or a paste to the text.
func (in *Input) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(tea.PasteMsg); ok {
		in.Insert(p.Content)
		return nil
	}
	if !in.Single && !in.EnterSubmits && in.Area.Focused() {
		switch Keystroke(msg) {
		case "enter", "shift+enter", "alt+enter", "ctrl+j":
			in.Insert("\n")
			return nil
		}
	}
	return in.Area.Update(msg)
}

// Draw shows the text in an area and returns its cursor.
func (in *Input) Draw(buf uv.ScreenBuffer, area uv.Rectangle) *painter.Cursor {
	return in.Area.Draw(buf, area)
}

// AtTop and AtBottom report whether up and down would leave the text.
func (in *Input) AtTop() bool { return in.Area.atTop() }

// AtBottom reports whether down would leave the text.
func (in *Input) AtBottom() bool { return in.Area.atBottom() }
