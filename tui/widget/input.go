package widget

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Input is a text that the user edits: of one line or of many.
type Input struct {
	Area   Text
	Single bool
	Clean  string // what the text was set to
	// Keeps is for one in which enter does something else: only the other keys for a
	// line end break the line.
	Keeps bool
}

// NewInput makes an empty text, of a single line or of many.
func NewInput(single bool) *Input {
	in := &Input{Area: NewText(), Single: single}
	in.Area.Single = single
	return in
}

// Dress gives the text the theme's colours.
func (in *Input) Dress(sty *draw.Styles) {
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

// Changed reports whether the user has edited the text since it was set.
func (in *Input) Changed() bool { return in.Area.Value() != in.Clean }

// Insert puts text where the cursor is, as if it was typed.
func (in *Input) Insert(text string) { in.Area.InsertString(text) }

// Focus gives the text the cursor.
func (in *Input) Focus() tea.Cmd { return in.Area.Focus() }

// Blur takes the cursor away.
func (in *Input) Blur() { in.Area.Blur() }

// Resize sets the width and height that the text is shown in.
func (in *Input) Resize(w, h int) { in.Area.Resize(w, h) }

// Rows returns how many lines the text takes at the present width, capped at most.
func (in *Input) Rows(most int) int {
	if in.Single {
		return 1
	}
	return in.Area.Rows(most)
}

// Update hands a key or a paste to the text.
func (in *Input) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(tea.PasteMsg); ok {
		in.Insert(p.Content)
		return nil
	}
	if !in.Single && !in.Keeps && in.Area.Focused() {
		switch Keystroke(msg) {
		case "enter", "shift+enter", "alt+enter", "ctrl+j":
			in.Insert("\n")
			return nil
		}
	}
	return in.Area.Update(msg)
}

// Draw shows the text in an area and says where its cursor is.
func (in *Input) Draw(buf uv.ScreenBuffer, area uv.Rectangle) *painter.Cursor {
	return in.Area.Draw(buf, area)
}

// AtTop and AtBottom report whether up and down would leave the text.
func (in *Input) AtTop() bool { return in.Area.atTop() }

// AtBottom reports whether down would leave the text.
func (in *Input) AtBottom() bool { return in.Area.atBottom() }
