// Package widget is what dialogs and panes are made of: forms, lists to choose from,
// lists that are longer than their place, questions and texts to read. A widget is
// drawn into cells and gets keys as messages; it acts through the functions that it
// was made with.
package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Dialog is something that lies over the screen and gets every key until it is
// closed. handle gets keys, pastes and clicks inside its area; it says when it
// is done. A dialog acts through the functions that it was made with.
type Dialog interface {
	Handle(msg tea.Msg) (cmd tea.Cmd, done bool)
	// Hints are what its keys do now, each between dots and the most useful first: its
	// lower edge shows as many as fit, and the help all. The last one is FullHelp, or
	// TypedHelp where a question mark is text.
	Hints() string
	Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor
}

// FullHelp and TypedHelp are the last of a dialog's hints: the key that shows all of
// them.
const (
	FullHelp  = "? keys"
	TypedHelp = "f1 keys"
)

// Hints are the hints of a dialog in one line.
func Hints(hints ...string) string { return look.Join(hints...) }

// Stack is the stack of open dialogs; the last one is on top.
type Stack struct{ All []Dialog }

// Open puts a dialog on top.
func (d *Stack) Open(v Dialog) { d.All = append(d.All, v) }

// Top is the dialog that gets the keys, nil where none is open.
func (d *Stack) Top() Dialog {
	if len(d.All) == 0 {
		return nil
	}
	return d.All[len(d.All)-1]
}

// Close closes a dialog wherever it stands, so that one that opened another
// before it was done takes only itself away.
func (d *Stack) Close(v Dialog) {
	for i := range d.All {
		if d.All[i] == v {
			d.All = append(d.All[:i], d.All[i+1:]...)
			return
		}
	}
}

// Keystroke is the key of a message, "" for anything else.
func Keystroke(msg tea.Msg) string {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return k.Keystroke()
	}
	return ""
}

// Confirm asks before something that cannot be taken back easily. choices are
// keys with words; the first is what enter means.
type Confirm struct {
	Title, Text string
	Choices     []Choice
	Keep        string // keys of choices that leave the dialog open
}

// Choice is an answer to a question.
type Choice struct {
	Key, Words string
	Do         func() tea.Cmd // nil: just close
}

// Handle implements Dialog.
func (c *Confirm) Handle(msg tea.Msg) (tea.Cmd, bool) {
	k := Keystroke(msg)
	switch k {
	case "":
		return nil, false
	case "esc", "ctrl+c":
		return nil, true
	case "enter":
		k = c.Choices[0].Key
	}
	for _, ch := range c.Choices {
		if ch.Key == k {
			if ch.Do == nil {
				return nil, true
			}
			return ch.Do(), !strings.Contains(c.Keep, ch.Key)
		}
	}
	return nil, false
}

// Hints implements Dialog.
func (c *Confirm) Hints() string {
	var list []string
	for _, ch := range c.Choices {
		list = append(list, ch.Key+" "+ch.Words)
	}
	return Hints(append(list, "esc close", FullHelp)...)
}

// Draw implements Dialog. What its keys do stands in it, so that the edge need not say it.
func (c *Confirm) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(64, screen.Dx())
	lines := look.Wrap(c.Text, w-4)
	area := look.Centred(screen, w, len(lines)+len(c.Choices)+4)
	in := look.Frame(buf, area, lk, c.Title, "esc close")
	// The choices must be seen; the text has what room is left.
	text := in
	text.Max.Y = max(in.Min.Y, in.Max.Y-len(c.Choices))
	y := in.Min.Y + look.PutWrapped(buf, text, lk.Base, c.Text)
	if y+len(c.Choices) < in.Max.Y {
		y++
	}
	for i, ch := range c.Choices {
		if y >= in.Max.Y {
			break
		}
		st := lk.Base
		if i == 0 {
			st = lk.Strong
		}
		n := look.Put(buf, in.Min.X, y, in.Dx(), lk.Key, ch.Key)
		look.Put(buf, in.Min.X+n+1, y, in.Dx()-n-1, st, ch.Words)
		y++
	}
	return nil
}

// Reader shows text that may be longer than the screen.
type Reader struct {
	Sheet
	Title string
	Lines func(w int) []string // styled and safe
	// Also is what tab does, and AlsoWords what that is; nil does nothing.
	Also      func() tea.Cmd
	AlsoWords string
}

// Handle implements Dialog.
func (r *Reader) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if m, ok := msg.(tea.KeyPressMsg); ok {
		switch k := m.Keystroke(); {
		case k == "esc", k == "q", k == "enter", k == "ctrl+c":
			return nil, true
		case k == "tab" && r.Also != nil:
			return r.Also(), true
		}
	}
	r.Sheet.Handle(msg)
	return nil, false
}

// Hints implements Dialog.
func (r *Reader) Hints() string {
	also := ""
	if r.Also != nil {
		also = "tab " + r.AlsoWords
	}
	return Hints(also, "↑↓ scroll", "esc close", "space page down", "b page up", "g first line", "G last line", FullHelp)
}

// Draw implements Dialog.
func (r *Reader) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := look.Centred(screen, 100, screen.Dy())
	in := look.Frame(buf, area, lk, r.Title, r.Hints())
	r.Show(buf, in, r.Lines(in.Dx()))
	return nil
}

// PlainLines makes a reader's lines of plain text.
func PlainLines(text string) func(int) []string {
	return func(w int) []string { return look.Wrap(text, w) }
}
