package widget

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Base is embedded in every dialog. It has the defaults of Dialog, and what a dialog receives when
// it is opened: its own actions, the user's keys and the function to close it.
type Base struct {
	self    Dialog
	actions []keys.Action
	stack   *Stack
}

func (b *Base) opened(self Dialog, stack *Stack) {
	b.self, b.stack = self, stack
	b.actions = self.Actions()
}

// Close closes the dialog. It does nothing if the dialog is not open.
func (b *Base) Close() {
	if b.stack != nil {
		b.stack.Close(b.self)
	}
}

// Typing implements Dialog: letters are no text.
func (*Base) Typing() bool { return false }

// Handle implements Dialog: nothing is done.
func (*Base) Handle(tea.Msg) (cmd tea.Cmd, done bool) { return nil, false }

// ActionsNow returns the available actions of the dialog, each once.
func (b *Base) ActionsNow() []keys.Action {
	var list []keys.Action
	seen := map[keys.Name]bool{}
	for _, a := range b.actions {
		if a.IsVisible() && !seen[a.Name] {
			seen[a.Name] = true
			list = append(list, a)
		}
	}
	return list
}

// Key returns the display name of an action's key in this dialog, "" if it has none or the dialog
// is not open.
func (b *Base) Key(name keys.Name) string {
	if b.stack == nil {
		return ""
	}
	return b.stack.Keys().DialogKey(name, b.self.Typing())
}

// Hints returns the keys of the dialog's actions with their hints, in one line; see Hints.
func (b *Base) Hints() string {
	if b.stack == nil {
		return ""
	}
	var list []string
	own := false // the key of the help does something else here
	for _, a := range b.ActionsNow() {
		own = own || a.Name == keys.Help
		words := a.HintNow()
		if k := b.Key(a.Name); words != "" && k != "" && a.Why() == "" {
			list = append(list, k+b.Key(a.Until)+" "+words)
		}
	}
	help := ""
	if k := b.stack.helpKey(b.self.Typing()); k != "" && !own {
		help = k + " keys"
	}
	return Hints(append(list, help)...)
}

// Closing returns the action that closes a dialog.
func (b *Base) Closing() keys.Action {
	return keys.Action{Name: keys.DialogClose, Hint: "close", Do: keys.Does(b.Close)}
}

// Scrolling returns the actions of a dialog that shows lines.
func (s *Sheet) Scrolling() []keys.Action {
	up, down := s.scroll(keys.DialogUp, func() int { return s.Top - 1 }),
		s.scroll(keys.DialogDown, func() int { return s.Top + 1 })
	up.Hint, up.Until = "scroll", keys.DialogDown
	return append([]keys.Action{up, down,
		s.scroll(keys.DialogTop, func() int { return 0 }), s.scroll(keys.DialogBottom, func() int { return s.Max })},
		s.Paging()...)
}

// Paging returns the actions that scroll by pages.
func (s *Sheet) Paging() []keys.Action {
	return []keys.Action{s.scroll(keys.DialogPageUp, func() int { return s.Top - s.Page }),
		s.scroll(keys.DialogPageDown, func() int { return s.Top + s.Page })}
}

func (s *Sheet) scroll(name keys.Name, to func() int) keys.Action {
	return keys.Action{Name: name, Do: keys.Does(func() { s.Top = to() })}
}

// Choosing returns the actions of a dialog with a list to choose from. move goes n rows down; page
// returns the number of rows in view.
func Choosing(move func(n int), page func() int) []keys.Action {
	up, down := moving(keys.DialogUp, move, func() int { return -1 }),
		moving(keys.DialogDown, move, func() int { return 1 })
	up.Hint, up.Until = "choose", keys.DialogDown
	return []keys.Action{up, down,
		moving(keys.DialogPageUp, move, func() int { return -page() }), moving(keys.DialogPageDown, move, page)}
}

// Ends returns the actions that choose the first and the last row, if letters are not text.
func Ends(move func(n int)) []keys.Action {
	const most = 1 << 30 // rows of a list
	return []keys.Action{moving(keys.DialogTop, move, func() int { return -most }),
		moving(keys.DialogBottom, move, func() int { return most })}
}

func moving(name keys.Name, move func(n int), n func() int) keys.Action {
	return keys.Action{Name: name, Do: keys.Does(func() { move(n()) })}
}
