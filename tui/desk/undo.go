package desk

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// UndoStep is something that can be taken back once.
type UndoStep struct {
	Words string // what was done
	Back  func() error
}

// mostUndo is how many steps can be taken back by key.
const mostUndo = 50

// Undoing is the part that panes share whose changes can be taken back.
type Undoing struct {
	Desk  Desk
	Steps []UndoStep
	Order widget.InOrder // of the changes
	After func() tea.Cmd // follows each change; nil where the engine's events say enough
}

// Change runs what changes something, away from the screen's goroutine, in the
// order in which the keys were pressed. What takes it back is kept for the key that
// does so; nil is for what cannot be.
func (u *Undoing) Change(words string, do, back func() error) tea.Cmd {
	return u.ChangeWith(words, func() (func() error, error) { return back, do() })
}

// ChangeWith is Change for what itself tells how it is taken back.
func (u *Undoing) ChangeWith(words string, do func() (back func() error, err error)) tea.Cmd {
	return u.Order.Do(u.Desk, func() func() tea.Cmd {
		back, err := do()
		return func() tea.Cmd {
			if err != nil {
				return u.Desk.Fail(err)
			}
			cmd := u.ChangedBy(words, back)
			if u.After != nil {
				cmd = tea.Batch(cmd, u.After())
			}
			return cmd
		}
	})
}

// ChangedBy says what was done and notes how to take it back.
func (u *Undoing) ChangedBy(words string, back func() error) tea.Cmd {
	if back == nil {
		return u.Desk.Say(event.Info, words)
	}
	u.Steps = append(u.Steps, UndoStep{words, back})
	if n := len(u.Steps) - mostUndo; n > 0 {
		u.Steps = slices.Delete(u.Steps, 0, n)
	}
	if k := u.Desk.Keys().Key(keys.PaneUndo, keys.Pane); k != "" {
		words += look.Separator + k + " undoes it"
	}
	return u.Desk.Say(event.Info, words)
}

// TakeBack undoes what was done last, also where that is only being stored.
func (u *Undoing) TakeBack() tea.Cmd {
	return u.Order.When(func() tea.Cmd { return u.UndoLast() })
}

// UndoLast takes back the last change at once; TakeBack waits for its turn.
func (u *Undoing) UndoLast() tea.Cmd {
	n := len(u.Steps)
	if n == 0 {
		return u.Desk.Say(event.Info, "nothing to undo")
	}
	step := u.Steps[n-1]
	u.Steps = u.Steps[:n-1]
	return u.Change("undone: "+step.Words, step.Back, nil)
}
