package tui

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

// input is a text that the user edits: of one line or of many.
type input struct {
	area   textarea.Model
	single bool
	clean  string // what the text was set to
}

func newInput(single bool) *input {
	in := &input{area: textarea.New(), single: single}
	in.area.Prompt = ""
	in.area.ShowLineNumbers = false
	in.area.EndOfBufferCharacter = ' '
	in.area.CharLimit = 0
	in.area.MaxHeight = 0
	in.area.SetVirtualCursor(false)
	if single {
		in.area.KeyMap.InsertNewline.SetEnabled(false)
	} else {
		in.area.KeyMap.InsertNewline.SetKeys("enter", "shift+enter", "alt+enter", "ctrl+j")
	}
	return in
}

// dress gives the text the theme's colours.
func (in *input) dress(lk *look.Look) {
	plain := textarea.StyleState{
		Text:        lipgloss.NewStyle().Foreground(lk.Palette.Text),
		Placeholder: lipgloss.NewStyle().Foreground(lk.Palette.Faint),
		Selection:   lipgloss.NewStyle().Foreground(lk.Palette.SelectionText).Background(lk.Palette.Selection),
	}
	in.area.SetStyles(textarea.Styles{Focused: plain, Blurred: plain})
}

// set replaces the text and puts the cursor at its end.
func (in *input) set(text string) {
	text = safetext.Block(text)
	if in.single {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	in.area.SetValue(text)
	in.area.MoveToEnd()
	in.clean = in.area.Value()
}

func (in *input) value() string { return in.area.Value() }

// changed tells whether the user has edited the text since it was set.
func (in *input) changed() bool { return in.area.Value() != in.clean }

func (in *input) insert(text string) {
	text = safetext.Block(text)
	if in.single {
		text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", " ")
	}
	in.area.InsertString(text)
	in.area, _ = in.area.Update(nil) // shows where the cursor is now
}

func (in *input) focus() tea.Cmd { return in.area.Focus() }
func (in *input) blur()          { in.area.Blur() }

// resize sets the width and height that the text is shown in.
func (in *input) resize(w, h int) {
	stale := false
	if w = max(1, w); in.area.Width() != w {
		in.area.SetWidth(w)
		stale = in.area.Focused() || in.area.ScrollYOffset() > 0 // others show their beginning
	}
	if h = max(1, h); in.area.Height() != h {
		in.area.SetHeight(h)
		stale = true
	}
	if stale {
		in.scrollIntoView()
	}
}

// scrollIntoView shows the cursor, and as much of the text as the new size allows:
// the text area itself keeps its offset, and would leave room below the text
// unused, except where it chooses its height by itself.
func (in *input) scrollIntoView() {
	in.area, _ = in.area.Update(nil)
	in.area.DynamicHeight, in.area.MinHeight, in.area.MaxHeight = true, in.area.Height(), in.area.Height()
	in.area.SetWidth(in.area.Width())
	in.area.DynamicHeight, in.area.MinHeight, in.area.MaxHeight = false, 0, 0
}

// rows is how many lines the text takes at the present width, capped at most.
func (in *input) rows(most int) int {
	if in.single {
		return 1
	}
	w, n := max(1, in.area.Width()), 0
	for line := range strings.SplitSeq(in.area.Value(), "\n") {
		n += 1 + len([]rune(line))/w
		if n >= most {
			return most
		}
	}
	return max(1, n)
}

// update hands a key or a paste to the text.
func (in *input) update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(tea.PasteMsg); ok {
		in.insert(p.Content)
		return nil
	}
	var cmd tea.Cmd
	in.area, cmd = in.area.Update(msg)
	return cmd
}

// draw shows the text in an area and says where its cursor is.
func (in *input) draw(buf uv.ScreenBuffer, area uv.Rectangle) *painter.Cursor {
	if area.Empty() {
		return nil
	}
	in.resize(area.Dx(), area.Dy())
	for i, line := range strings.Split(in.area.View(), "\n") {
		if i >= area.Dy() {
			break
		}
		look.PutStyled(buf, area.Min.X, area.Min.Y+i, area.Dx(), line)
	}
	if c := in.area.Cursor(); c != nil && in.area.Focused() {
		return &painter.Cursor{X: area.Min.X + min(c.X, area.Dx()-1), Y: area.Min.Y + min(c.Y, area.Dy()-1)}
	}
	return nil
}

// atTop and atBottom tell whether up and down would leave the text.
func (in *input) atTop() bool {
	return in.area.Line() == 0 && in.area.LineInfo().RowOffset == 0
}

func (in *input) atBottom() bool {
	info := in.area.LineInfo()
	return in.area.Line() == in.area.LineCount()-1 && info.RowOffset >= info.Height-1
}
