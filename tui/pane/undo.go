package pane

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// UndoStep is a change that can be undone once.
type UndoStep struct {
	Text  string // the change in words
	Back  func() error
	again func() (back func() error, err error) // redoes it
}

// maxUndo is the maximum number of steps that can be undone.
const maxUndo = 50

// UndoStack is the shared part of panes whose changes can be undone.
type UndoStack struct {
	Host  Host
	Steps []UndoStep
	redo  []UndoStep      // undone and not redone; the last one first
	Order widget.Sequence // of the changes
	After func() tea.Cmd  // called after each change; nil if the engine's events suffice
}

// Clear drops all steps, for example when another chat is shown.
func (u *UndoStack) Clear() { u.Steps, u.redo = nil, nil }

// Change runs do away from the screen's goroutine, in the order in which the keys were pressed.
// back undoes it and is kept for the undo key; nil for a change that cannot be undone.
func (u *UndoStack) Change(words string, do, back func() error) tea.Cmd {
	return u.ChangeWith(words, func() (func() error, error) { return back, do() })
}

// ChangeWith is Change for a do that returns the function to undo it.
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

// Changed shows a notice about a change, and records how to undo it.
func (u *UndoStack) Changed(words string, back func() error) tea.Cmd {
	u.redo = nil
	return u.changed(UndoStep{Text: words, Back: back})
}

func (u *UndoStack) changed(step UndoStep) tea.Cmd {
	words := step.Text
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

// Undo undoes the last change, even while it is being stored.
func (u *UndoStack) Undo() tea.Cmd {
	return u.Order.Start(func() tea.Cmd { return u.UndoLast() })
}

// UndoLast undoes the last change immediately; Undo waits for its turn.
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
		return u.Host.Say(event.Info, "undone: "+step.Text)
	})
}

// Redo redoes the change that was undone last.
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
			return u.changed(UndoStep{step.Text, back, step.again})
		})
	})
}

// run changes something away from the screen's goroutine, then shows the result.
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

// UndoActions returns the undo actions of a pane.
func (u *UndoStack) UndoActions() []keys.Action {
	return []keys.Action{{Name: keys.PaneUndo, Hint: "undo", Do: u.Undo},
		{Name: keys.PaneRedo, Text: "redo", Do: u.Redo}}
}
