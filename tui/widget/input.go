package widget

import (
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	"ghostlight/tui/safetext"
)

// Input is a text that the user edits: of one line or of many.
type Input struct {
	Area   textarea.Model
	Single bool
	Clean  string // what the text was set to
}

// NewInput makes an empty text, of a single line or of many.
func NewInput(single bool) *Input {
	in := &Input{Area: textarea.New(), Single: single}
	in.Area.Prompt = ""
	in.Area.ShowLineNumbers = false
	in.Area.EndOfBufferCharacter = ' '
	in.Area.CharLimit = 0
	in.Area.MaxHeight = 0
	in.Area.SetVirtualCursor(false)
	if single {
		in.Area.KeyMap.InsertNewline.SetEnabled(false)
	} else {
		in.Area.KeyMap.InsertNewline.SetKeys("enter", "shift+enter", "alt+enter", "ctrl+j")
	}
	return in
}

// Dress gives the text the theme's colours.
func (in *Input) Dress(lk *look.Look) {
	plain := textarea.StyleState{
		Text:        lipgloss.NewStyle().Foreground(lk.Palette.Text),
		Placeholder: lipgloss.NewStyle().Foreground(lk.Palette.Faint),
		Selection:   lipgloss.NewStyle().Foreground(lk.Palette.SelectionText).Background(lk.Palette.Selection),
	}
	in.Area.SetStyles(textarea.Styles{Focused: plain, Blurred: plain})
}

// Set replaces the text and puts the cursor at its end.
func (in *Input) Set(text string) {
	text = safetext.Block(text)
	if in.Single {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	in.Area.SetValue(text)
	in.Area.MoveToEnd()
	in.Clean = in.Area.Value()
}

// Value is the text as it is now.
func (in *Input) Value() string { return in.Area.Value() }

// Changed tells whether the user has edited the text since it was set.
func (in *Input) Changed() bool { return in.Area.Value() != in.Clean }

// Insert puts text where the cursor is, made safe.
func (in *Input) Insert(text string) {
	text = safetext.Block(text)
	if in.Single {
		text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", " ")
	}
	in.Area.InsertString(text)
	in.Area, _ = in.Area.Update(nil) // shows where the cursor is now
}

// Focus gives the text the cursor.
func (in *Input) Focus() tea.Cmd { return in.Area.Focus() }

// Blur takes the cursor away.
func (in *Input) Blur() { in.Area.Blur() }

// Resize sets the width and height that the text is shown in.
func (in *Input) Resize(w, h int) {
	stale := false
	if w = max(1, w); in.Area.Width() != w {
		in.Area.SetWidth(w)
		stale = in.Area.Focused() || in.Area.ScrollYOffset() > 0 // others show their beginning
	}
	if h = max(1, h); in.Area.Height() != h {
		in.Area.SetHeight(h)
		stale = true
	}
	if stale {
		in.scrollIntoView()
	}
}

// scrollIntoView shows the cursor, and as much of the text as the new size allows:
// the text area itself keeps its offset, and would leave room below the text
// unused, except where it chooses its height by itself.
func (in *Input) scrollIntoView() {
	in.Area, _ = in.Area.Update(nil)
	in.Area.DynamicHeight, in.Area.MinHeight, in.Area.MaxHeight = true, in.Area.Height(), in.Area.Height()
	in.Area.SetWidth(in.Area.Width())
	in.Area.DynamicHeight, in.Area.MinHeight, in.Area.MaxHeight = false, 0, 0
}

// Rows is how many lines the text takes at the present width, capped at most.
func (in *Input) Rows(most int) int {
	if in.Single {
		return 1
	}
	w, n := max(1, in.Area.Width()), 0
	for line := range strings.SplitSeq(in.Area.Value(), "\n") {
		n += 1 + len([]rune(line))/w
		if n >= most {
			return most
		}
	}
	return max(1, n)
}

// Update hands a key or a paste to the text.
func (in *Input) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(tea.PasteMsg); ok {
		in.Insert(p.Content)
		return nil
	}
	var cmd tea.Cmd
	in.Area, cmd = in.Area.Update(msg)
	return cmd
}

// Draw shows the text in an area and says where its cursor is.
func (in *Input) Draw(buf uv.ScreenBuffer, area uv.Rectangle) *painter.Cursor {
	if area.Empty() {
		return nil
	}
	in.Resize(area.Dx(), area.Dy())
	for i, line := range strings.Split(in.Area.View(), "\n") {
		if i >= area.Dy() {
			break
		}
		look.PutStyled(buf, area.Min.X, area.Min.Y+i, area.Dx(), line)
	}
	if c := in.Area.Cursor(); c != nil && in.Area.Focused() {
		return &painter.Cursor{X: area.Min.X + min(c.X, area.Dx()-1), Y: area.Min.Y + min(c.Y, area.Dy()-1)}
	}
	return nil
}

// AtTop and AtBottom tell whether up and down would leave the text.
func (in *Input) AtTop() bool {
	return in.Area.Line() == 0 && in.Area.LineInfo().RowOffset == 0
}

// AtBottom tells whether down would leave the text.
func (in *Input) AtBottom() bool {
	info := in.Area.LineInfo()
	return in.Area.Line() == in.Area.LineCount()-1 && info.RowOffset >= info.Height-1
}
