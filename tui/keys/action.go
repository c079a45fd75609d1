package keys

import tea "charm.land/bubbletea/v2"

// Action is something that the user can do, declared by the part, pane or dialog that does it.
// Routing, help, hint lines, palette, leader, the table in the guide and remapping are derived from
// the declarations. Its functions are called on the screen's goroutine.
type Action struct {
	Name   Name
	Words  string // a few, lower case
	Group  string // heading in the help; only a pane's or dialog's own actions have one there
	Modes  Mode
	Keys   []string // defaults, which the user may change
	Was    []Name   // its names in config files of earlier versions
	Hidden bool     // not worth a line in the palette
	Hint   string   // a word or two for the line below its pane or dialog, "" for none
	Until  Name     // its key is shown right after this one's in that line, as in ←→; "" for none
	// Label returns the hint if it can change; nil means Hint.
	Label       func() string
	Here        func() bool         // it is available, for example in the current view of the pane; nil means always
	Unavailable func() (why string) // the reason why it cannot be done now, "" if it can; nil means that it always can
	Do          func() tea.Cmd
}

// IsHere reports whether the action is there now.
func (a *Action) IsHere() bool { return a.Here == nil || a.Here() }

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

// Own makes an action that only its pane has. was is its name in config files of earlier versions,
// "" for none.
func Own(a Action, was Name, k ...string) Action {
	a.Group, a.Keys = PaneGroup, k
	if was != "" {
		a.Was = []Name{was}
	}
	return a
}

// NewOwn returns an action that only its pane has, see Own.
func NewOwn(name, was Name, words string, do func() tea.Cmd, k ...string) Action {
	return Own(Action{Name: name, Words: words, Do: do}, was, k...)
}

// Does adapts a function without a command.
func Does(f func()) func() tea.Cmd {
	return func() tea.Cmd { f(); return nil }
}

// At makes actions available only under a condition, in addition to their own.
func At(here func() bool, list ...Action) []Action {
	for i := range list {
		if own := list[i].Here; own != nil {
			list[i].Here = func() bool { return here() && own() }
		} else {
			list[i].Here = here
		}
	}
	return list
}

// Moving returns the actions of a pane that move in a list; move goes n rows down.
func Moving(move func(n int)) []Action {
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
