// Package widget provides the elements of dialogs and panes: forms, lists to choose from,
// scrollable lists, questions and texts to read. A widget is drawn into cells and receives keys as
// messages. It acts through the functions that it was made with.
package widget

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Dialog is shown over the screen and receives every key until it is closed. It acts through the
// functions that it was made with. It embeds Base.
type Dialog interface {
	// Actions returns the actions of its keys. It is called once, when the dialog is opened. The
	// first available action that a key leads to counts. The lower edge shows as many hints as fit,
	// in their order.
	Actions() []keys.Action
	// Typing reports whether characters are text.
	Typing() bool
	// Handle receives what no action handles: typed or pasted text, clicks inside its area, the
	// wheel. It reports whether the dialog is done, which closes it.
	Handle(msg tea.Msg) (cmd tea.Cmd, done bool)
	Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor
	// ActionsNow returns the available actions, each once.
	ActionsNow() []keys.Action
	opened(self Dialog, stack *Stack)
}

// Hints returns the hints of a dialog in one line.
func Hints(hints ...string) string { return draw.Join(hints...) }

// Stack is the stack of open dialogs; the last one is on top.
type Stack struct {
	All  []Dialog
	Keys func() *keys.Map // the user's current keys

	sudden Dialog    // the last one that opened by itself
	since  time.Time // the time of that
}

// MarkUnasked records that the dialog on top opened by itself: a key that was already pressed was
// not meant for it.
func (d *Stack) MarkUnasked() { d.sudden, d.since = d.Top(), time.Now() }

// UnaskedSince returns the time at which a dialog opened by itself; ok is false if the user opened
// it.
func (d *Stack) UnaskedSince(v Dialog) (since time.Time, ok bool) {
	return d.since, v != nil && d.sudden == v
}

// Open opens a dialog on top.
func (d *Stack) Open(v Dialog) {
	v.opened(v, d)
	d.All = append(d.All, v)
}

// Top returns the dialog that receives the keys, nil if none is open.
func (d *Stack) Top() Dialog {
	if len(d.All) == 0 {
		return nil
	}
	return d.All[len(d.All)-1]
}

// Close closes a dialog at any position in the stack. A dialog that opened another one before it
// finished thus removes only itself.
func (d *Stack) Close(v Dialog) {
	for i := range d.All {
		if d.All[i] == v {
			d.All = append(d.All[:i], d.All[i+1:]...)
			return
		}
	}
}

// Action returns the dialog's action for one of the spellings of a key press, nil for none.
func (d *Stack) Action(v Dialog, strokes []string) *keys.Action {
	list := v.ActionsNow()
	for _, s := range strokes {
		for i := range list {
			if d.Keys().Leads(list[i].Name, s, v.Typing()) {
				return &list[i]
			}
		}
	}
	return nil
}

// helpKey returns the key that shows the keys of a dialog, "" for none.
func (d *Stack) helpKey(typing bool) string {
	if typing {
		return d.Keys().Key(keys.Help, keys.Write)
	}
	return d.Keys().Key(keys.Help, keys.Browse)
}

// Keystroke returns the key of a message, "" for anything else.
func Keystroke(msg tea.Msg) string {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return k.Keystroke()
	}
	return ""
}

// Confirm asks before something that cannot easily be undone. Choices are letters with words; enter
// takes the first.
type Confirm struct {
	Base
	Title, Text string
	Choices     []Choice
	Keep        string // letters of choices that leave the dialog open
}

// Choice is an answer to a question.
type Choice struct {
	Key, Words string
	Do         func() tea.Cmd // nil: just close
}

// Actions implements Dialog.
func (c *Confirm) Actions() []keys.Action {
	return []keys.Action{c.Closing(),
		{Name: keys.DialogEnter, Text: c.Choices[0].Words, Do: func() tea.Cmd { return c.take(&c.Choices[0]) }}}
}

// Typing implements Dialog: letters are answers.
func (*Confirm) Typing() bool { return true }

// Handle implements Dialog: it takes the letter of a choice.
func (c *Confirm) Handle(msg tea.Msg) (tea.Cmd, bool) {
	k := Keystroke(msg)
	for i := range c.Choices {
		if k != "" && c.Choices[i].Key == k {
			return c.take(&c.Choices[i]), false
		}
	}
	return nil, false
}

func (c *Confirm) take(choice *Choice) tea.Cmd {
	if !strings.Contains(c.Keep, choice.Key) {
		c.Close()
	}
	if choice.Do == nil {
		return nil
	}
	return choice.Do()
}

// Draw implements Dialog. The keys are shown inside the dialog, so the edge need not show them.
func (c *Confirm) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	w := min(64, screen.Dx())
	lines := draw.Wrap(c.Text, w-4)
	area := draw.Centred(screen, w, len(lines)+len(c.Choices)+4)
	in := draw.Frame(buf, area, sty, c.Title, c.Key(keys.DialogClose)+" close")
	// The choices must be visible; the text gets the remaining room.
	text := in
	text.Max.Y = max(in.Min.Y, in.Max.Y-len(c.Choices))
	y := in.Min.Y + draw.PutWrapped(buf, text, sty.Base, c.Text)
	if y+len(c.Choices) < in.Max.Y {
		y++
	}
	for i, ch := range c.Choices {
		if y >= in.Max.Y {
			break
		}
		st := sty.Base
		if i == 0 {
			st = sty.Strong
		}
		n := draw.Put(buf, in.Min.X, y, in.Dx(), sty.Key, ch.Key)
		draw.Put(buf, in.Min.X+n+1, y, in.Dx()-n-1, st, ch.Words)
		y++
	}
	return nil
}
