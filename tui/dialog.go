package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/look"
	"ghostlight/tui/painter"
)

// dialog is something that lies over the screen and gets every key until it is
// closed. handle gets keys, pastes and clicks inside its area; it says when it
// is done. A dialog acts through the functions that it was made with.
type dialog interface {
	handle(msg tea.Msg) (cmd tea.Cmd, done bool)
	draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor
}

// dialogs is the stack of open dialogs; the last one is on top.
type dialogs struct{ stack []dialog }

func (d *dialogs) open(v dialog) { d.stack = append(d.stack, v) }

func (d *dialogs) top() dialog {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1]
}

// remove closes a dialog wherever it stands, so that one that opened another
// before it was done takes only itself away.
func (d *dialogs) remove(v dialog) {
	for i := range d.stack {
		if d.stack[i] == v {
			d.stack = append(d.stack[:i], d.stack[i+1:]...)
			return
		}
	}
}

// keystroke is the key of a message, "" for anything else.
func keystroke(msg tea.Msg) string {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return k.Keystroke()
	}
	return ""
}

// confirm asks before something that cannot be taken back easily. choices are
// keys with words; the first is what enter means.
type confirm struct {
	title, text string
	choices     []choice
	keep        string // keys of choices that leave the dialog open
}

type choice struct {
	key, words string
	do         func() tea.Cmd // nil: just close
}

func (c *confirm) handle(msg tea.Msg) (tea.Cmd, bool) {
	k := keystroke(msg)
	switch k {
	case "":
		return nil, false
	case "esc", "ctrl+c":
		return nil, true
	case "enter":
		k = c.choices[0].key
	}
	for _, ch := range c.choices {
		if ch.key == k {
			if ch.do == nil {
				return nil, true
			}
			return ch.do(), !strings.Contains(c.keep, ch.key)
		}
	}
	return nil, false
}

func (c *confirm) draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(64, screen.Dx())
	lines := look.Wrap(c.text, w-4)
	area := look.Centred(screen, w, len(lines)+len(c.choices)+4)
	in := look.Frame(buf, area, lk, c.title, "esc leave it")
	// The choices must be seen; the text has what room is left.
	text := in
	text.Max.Y = max(in.Min.Y, in.Max.Y-len(c.choices))
	y := in.Min.Y + look.PutWrapped(buf, text, lk.Base, c.text)
	if y+len(c.choices) < in.Max.Y {
		y++
	}
	for i, ch := range c.choices {
		if y >= in.Max.Y {
			break
		}
		st := lk.Base
		if i == 0 {
			st = lk.Strong
		}
		n := look.Put(buf, in.Min.X, y, in.Dx(), lk.Key, ch.key)
		look.Put(buf, in.Min.X+n+1, y, in.Dx()-n-1, st, ch.words)
		y++
	}
	return nil
}

// reader shows text that may be longer than the screen.
type reader struct {
	sheet
	title string
	lines func(w int) []string // styled and safe
}

func (r *reader) handle(msg tea.Msg) (tea.Cmd, bool) {
	if m, ok := msg.(tea.KeyPressMsg); ok {
		switch k := m.Keystroke(); {
		case m.Text == "?", k == "esc", k == "q", k == "enter", k == "ctrl+c", k == "f1":
			return nil, true
		}
	}
	r.sheet.handle(msg)
	return nil, false
}

func (r *reader) draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := look.Centred(screen, 100, screen.Dy())
	in := look.Frame(buf, area, lk, r.title, "↑↓ scroll · esc close")
	r.show(buf, in, r.lines(in.Dx()))
	return nil
}

// plainLines makes a reader's lines of plain text.
func plainLines(text string) func(int) []string {
	return func(w int) []string { return look.Wrap(text, w) }
}
