package keys

import tea "charm.land/bubbletea/v2"

// Action is something that the user can do, declared where it is done: by a part, a pane or a
// dialog. Routing, help, hint lines, palette, leader, the table in the guide and remapping are
// made of the declarations. Its functions are called on the screen's goroutine.
type Action struct {
	Name   Name
	Words  string // a few, lower case
	Group  string // heading in the help; of a pane's or dialog's actions only those have one that are its own
	Modes  Mode
	Keys   []string // unless the user has others
	Was    []Name   // its names in config files of earlier versions
	Hidden bool     // not worth a line in the palette
	Hint   string   // a word or two for the line below its pane or dialog, "" for none
	Until  Name     // whose key stands right behind its own in that line, as in ←→; "" for none
	// Label says the hint in place of Hint where that changes; nil is Hint.
	Label func() string
	Here  func() bool         // it is there now, as in the view of the pane that is shown; nil is always
	When  func() (why string) // why it cannot be done now, "" when it can; nil is always
	Do    func() tea.Cmd
}

// IsHere reports whether the action is there now.
func (a *Action) IsHere() bool { return a.Here == nil || a.Here() }

// Why returns why the action cannot be done now, "" when it can.
func (a *Action) Why() string {
	if a.When == nil {
		return ""
	}
	return a.When()
}

// HintNow returns the hint of the action as it is now, "" for none.
func (a *Action) HintNow() string {
	if a.Label == nil {
		return a.Hint
	}
	return a.Label()
}

// Own makes an action one that only its pane has. was is its name in config files of earlier
// versions, "" for none.
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

// Does returns what an action does that needs no command.
func Does(f func()) func() tea.Cmd {
	return func() tea.Cmd { f(); return nil }
}

// At makes actions that are there only where a condition holds, besides their own.
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

// Moving returns the actions of a pane that go up and down in a list; move goes n rows down.
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
