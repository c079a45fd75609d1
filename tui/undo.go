package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// undoStep is something that can be taken back once.
type undoStep struct {
	words string // what was done
	back  func() error
}

// mostUndo is how many steps can be taken back by key.
const mostUndo = 50

// undoing is the part that panes share whose changes can be taken back.
type undoing struct {
	desk  Desk
	undo  []undoStep
	order widget.InOrder // of the changes
}

// change runs what changes something, away from the screen's goroutine, in the
// order in which the keys were pressed. What takes it back is kept for the key that
// does so; nil is for what cannot be.
func (u *undoing) change(words string, do, back func() error) tea.Cmd {
	return u.order.Do(u.desk, func() func() tea.Cmd {
		err := do()
		return func() tea.Cmd {
			if err != nil {
				return u.desk.fail(err)
			}
			return u.changedBy(words, back)
		}
	})
}

// changedBy says what was done and notes how to take it back.
func (u *undoing) changedBy(words string, back func() error) tea.Cmd {
	if back == nil {
		return u.desk.say(engine.Info, words)
	}
	u.undo = append(u.undo, undoStep{words, back})
	if n := len(u.undo) - mostUndo; n > 0 {
		u.undo = slices.Delete(u.undo, 0, n)
	}
	if k := u.desk.Keys().Key(keys.PaneRestore, keys.Pane); k != "" {
		words += look.Separator + k + " undoes it"
	}
	return u.desk.say(engine.Info, words)
}

// takeBack undoes what was done last, also where that is only being stored.
func (u *undoing) takeBack() tea.Cmd {
	return u.order.When(func() tea.Cmd { return u.undoLast() })
}

func (u *undoing) undoLast() tea.Cmd {
	n := len(u.undo)
	if n == 0 {
		return u.desk.say(engine.Info, "nothing was changed here that could be undone")
	}
	step := u.undo[n-1]
	u.undo = u.undo[:n-1]
	return u.change("undone: "+step.words, step.back, nil)
}
