package keys

import tea "charm.land/bubbletea/v2"

// Action is something that the user can do, declared by the part, pane or dialog that does it.
// Routing, help, hint lines, palette, leader, the table in the guide and remapping are derived from
// the declarations. Its functions are called on the screen's goroutine.
type Action struct {
	Name     Name
	Text     string // a few, lower case
	Group    string // heading in the help; only a pane's or dialog's own actions have one there
	Modes    Mode
	Keys     []string // defaults, which the user may change
	OldNames []Name   // its names in config files of earlier versions
	Hidden   bool     // not worth a line in the palette
	Hint     string   // a word or two for the line below its pane or dialog, "" for none
	Until    Name     // its key is shown right after this one's in that line, as in ←→; "" for none
	// Label returns the hint if it can change; nil means Hint.
	Label       func() string
	Visible     func() bool         // it is available, for example in the current view of the pane; nil means always
	Unavailable func() (why string) // the reason why it cannot be done now, "" if it can; nil means that it always can
	Do          func() tea.Cmd
}

// IsVisible reports whether the action is there now.
func (a *Action) IsVisible() bool { return a.Visible == nil || a.Visible() }

// Why returns the reason why the action cannot be done now, "" if it can.
func (a *Action) Why() string {
	if a.Unavailable == nil {
		return ""
	}
	return a.Unavailable()
}

// HintNow returns the current hint of the action, "" for none.
func (a *Action) HintNow() string {
	if a.Label == nil {
		return a.Hint
	}
	return a.Label()
}

// PaneAction makes an action that only its pane has. was is its name in config files of earlier versions,
// "" for none.
func PaneAction(a Action, was Name, k ...string) Action {
	a.Group, a.Keys = PaneGroup, k
	if was != "" {
		a.OldNames = []Name{was}
	}
	return a
}

// NewPaneAction returns an action that only its pane has, see PaneAction.
func NewPaneAction(name, was Name, words string, do func() tea.Cmd, k ...string) Action {
	return PaneAction(Action{Name: name, Text: words, Do: do}, was, k...)
}

// Does adapts a function without a command.
func Does(f func()) func() tea.Cmd {
	return func() tea.Cmd { f(); return nil }
}

// When makes actions available only under a condition, in addition to their own.
func When(here func() bool, list ...Action) []Action {
	for i := range list {
		if own := list[i].Visible; own != nil {
			list[i].Visible = func() bool { return here() && own() }
		} else {
			list[i].Visible = here
		}
	}
	return list
}

// MoveActions returns the actions of a pane that move in a list; move goes n rows down.
func MoveActions(move func(n int)) []Action {
	const most = 1 << 30 // rows of a list
	var all []Action
	for _, m := range []struct {
		name Name
		n    int
	}{{PaneUp, -1}, {PaneDown, 1}, {PaneTop, -most}, {PaneBottom, most}} {
		all = append(all, Action{Name: m.name, Do: Does(func() { move(m.n) })})
	}
	return all
}
