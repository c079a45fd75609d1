package pane

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// UndoStep is something that can be taken back once.
type UndoStep struct {
	Words string // what was done
	Back  func() error
	again func() (back func() error, err error) // does it once more
}

// maxUndo is how many steps can be taken back by key.
const maxUndo = 50

// UndoStack is the part that panes share whose changes can be taken back.
type UndoStack struct {
	Host  Host
	Steps []UndoStep
	redo  []UndoStep      // taken back, and not done again; the last one first
	Order widget.Sequence // of the changes
	After func() tea.Cmd  // follows each change; nil where the engine's events say enough
}

// Clear drops all steps, as when another chat is shown.
func (u *UndoStack) Clear() { u.Steps, u.redo = nil, nil }

// Change runs what changes something, away from the screen's goroutine, in the
// order in which the keys were pressed. What takes it back is kept for the key that
// does so; nil is for what cannot be.
func (u *UndoStack) Change(words string, do, back func() error) tea.Cmd {
	return u.ChangeWith(words, func() (func() error, error) { return back, do() })
}

// ChangeWith is Change for what itself tells how it is taken back.
func (u *UndoStack) ChangeWith(words string, do func() (back func() error, err error)) tea.Cmd {
	return u.Order.Do(u.Host, func() func() tea.Cmd {
		back, err := do()
		return func() tea.Cmd {
			if err != nil {
				return u.Host.Fail(err)
			}
			u.redo = nil
			cmd := u.changed(UndoStep{words, back, do})
			if u.After != nil {
				cmd = tea.Batch(cmd, u.After())
			}
			return cmd
		}
	})
}

// Changed reports what was done, and notes how to undo it.
func (u *UndoStack) Changed(words string, back func() error) tea.Cmd {
	u.redo = nil
	return u.changed(UndoStep{Words: words, Back: back})
}

func (u *UndoStack) changed(step UndoStep) tea.Cmd {
	words := step.Words
	if step.Back == nil {
		return u.Host.Say(event.Info, words)
	}
	u.Steps = append(u.Steps, step)
	if n := len(u.Steps) - maxUndo; n > 0 {
		u.Steps = slices.Delete(u.Steps, 0, n)
	}
	if k := u.Host.Keys().Key(keys.PaneUndo, keys.Pane); k != "" {
		words += draw.Separator + k + " undoes it"
	}
	return u.Host.Say(event.Info, words)
}

// Undo undoes what was done last, also where that is only being stored.
func (u *UndoStack) Undo() tea.Cmd {
	return u.Order.Start(func() tea.Cmd { return u.UndoLast() })
}

// UndoLast takes back the last change at once; Undo waits for its turn.
func (u *UndoStack) UndoLast() tea.Cmd {
	n := len(u.Steps)
	if n == 0 {
		return u.Host.Say(event.Info, "nothing to undo")
	}
	step := u.Steps[n-1]
	u.Steps = u.Steps[:n-1]
	return u.run(step.Back, func() tea.Cmd {
		if step.again != nil {
			u.redo = append(u.redo, step)
		}
		return u.Host.Say(event.Info, "undone: "+step.Words)
	})
}

// Redo does again what was taken back last.
func (u *UndoStack) Redo() tea.Cmd {
	return u.Order.Start(func() tea.Cmd {
		n := len(u.redo)
		if n == 0 {
			return u.Host.Say(event.Info, "nothing to redo")
		}
		step := u.redo[n-1]
		u.redo = u.redo[:n-1]
		var back func() error
		return u.run(func() (err error) { back, err = step.again(); return err }, func() tea.Cmd {
			return u.changed(UndoStep{step.Words, back, step.again})
		})
	})
}

// run changes something away from the screen's goroutine; then says what became of it.
func (u *UndoStack) run(change func() error, then func() tea.Cmd) tea.Cmd {
	return u.Order.Do(u.Host, func() func() tea.Cmd {
		err := change()
		return func() tea.Cmd {
			if err != nil {
				return u.Host.Fail(err)
			}
			cmd := then()
			if u.After != nil {
				cmd = tea.Batch(cmd, u.After())
			}
			return cmd
		}
	})
}

// UndoActions returns the actions of a pane whose changes can be taken back.
func (u *UndoStack) UndoActions() []keys.Action {
	return []keys.Action{{Name: keys.PaneUndo, Hint: "undo", Do: u.Undo},
		{Name: keys.PaneRedo, Words: "redo", Do: u.Redo}}
}
