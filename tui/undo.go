package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/tui/keys"
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
	a        *app
	undo     []undoStep
	changing bool      // a change is being stored
	next     []tea.Cmd // changes that wait for it
}

// change runs what changes something, away from the screen's goroutine, in the
// order in which the keys were pressed. What takes it back is kept for the key that
// does so; nil is for what cannot be.
func (u *undoing) change(words string, do, back func() error) tea.Cmd {
	u.next = append(u.next, u.a.do(func() answerFunc {
		err := do()
		return func(a *app) tea.Cmd {
			u.changing = false
			if err != nil {
				return tea.Batch(u.nextChange(), a.fail(err))
			}
			return tea.Batch(u.nextChange(), u.changedBy(words, back))
		}
	}))
	return u.nextChange()
}

// nextChange is the change that has waited longest, nil while one is being stored.
func (u *undoing) nextChange() tea.Cmd {
	if u.changing || len(u.next) == 0 {
		return nil
	}
	u.changing = true
	cmd := u.next[0]
	u.next = u.next[1:]
	return cmd
}

// changedBy says what was done and notes how to take it back.
func (u *undoing) changedBy(words string, back func() error) tea.Cmd {
	if back == nil {
		return u.a.say(engine.Info, words)
	}
	u.undo = append(u.undo, undoStep{words, back})
	if n := len(u.undo) - mostUndo; n > 0 {
		u.undo = slices.Delete(u.undo, 0, n)
	}
	if k := u.a.keys.Key(keys.PaneRestore, keys.Pane); k != "" {
		words += between + k + " undoes it"
	}
	return u.a.say(engine.Info, words)
}

// takeBack undoes what was done last.
func (u *undoing) takeBack(a *app) tea.Cmd {
	n := len(u.undo)
	if n == 0 {
		return a.say(engine.Info, "nothing was changed here that could be undone")
	}
	step := u.undo[n-1]
	u.undo = u.undo[:n-1]
	return u.change("undone: "+step.words, step.back, nil)
}
