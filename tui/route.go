package tui

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/ecosystem"
	"ghostlight/tui/keys"
	"ghostlight/tui/library"
	"ghostlight/tui/widget"
)

// key routes a key press: the dialog on top, then the mode's own keys, then the
// composer.
func (a *app) key(m tea.KeyPressMsg) tea.Cmd {
	if d := a.dialogs.Top(); d != nil {
		if act, _ := a.keys.Match(keys.Write, m.Keystroke()); act == keys.Quit {
			return a.quit()
		}
		return a.toDialog(d, m)
	}
	if act, ok := a.keys.Match(a.mode, m.Keystroke()); ok {
		return a.Run(act)
	}
	if m.Text != "" && m.Mod&^tea.ModShift == 0 {
		if act, ok := a.keys.Match(a.mode, m.Text); ok {
			return a.Run(act)
		}
	}
	switch {
	case a.mode == keys.Write:
		cmd, typed := a.rooms.play.Key(m)
		a.grown.keyed = typed
		return cmd
	case a.mode == keys.Pane && m.Keystroke() == "space":
		return a.Run(keys.PaneMark) // unless the user has given it to something else
	}
	return nil
}

func (a *app) toDialog(d widget.Dialog, m tea.Msg) tea.Cmd {
	cmd, done := d.Handle(m)
	if done {
		a.dialogs.Close(d)
	}
	return cmd
}

// paste puts pasted text where the user writes. A single path of a file that
// can be imported, as terminals paste for a dropped file, is offered for import.
func (a *app) paste(m tea.PasteMsg) tea.Cmd {
	if d := a.dialogs.Top(); d != nil {
		return a.toDialog(d, m)
	}
	if len(m.Content) < 4096 && library.MayBeFile(m.Content) {
		return a.Do(func() func() tea.Cmd {
			path, ok := ecosystem.PastedPath(m.Content)
			return func() tea.Cmd {
				if ok {
					return a.rooms.library.Import(path)
				}
				return a.pasteText(m)
			}
		})
	}
	return a.pasteText(m)
}

func (a *app) pasteText(m tea.PasteMsg) tea.Cmd {
	a.mode = keys.Write
	return a.Type(m)
}

// mouse routes clicks and the wheel by what lies under them.
func (a *app) mouse(m tea.MouseMsg) tea.Cmd {
	if d := a.dialogs.Top(); d != nil {
		return a.toDialog(d, m)
	}
	at := m.Mouse()
	inPane := a.pane != nil && at.X >= a.lay.pane.Min.X && at.X < a.lay.pane.Max.X && at.Y < a.lay.pane.Max.Y
	switch m := m.(type) {
	case tea.MouseWheelMsg:
		step := 3
		if m.Button == tea.MouseWheelDown {
			step = -3
		} else if m.Button != tea.MouseWheelUp {
			return nil
		}
		if inPane {
			a.pane.Move(-step / 3)
			return nil
		}
		return a.rooms.play.Scroll(step)
	case tea.MouseClickMsg:
		return a.click(m, inPane)
	}
	return nil
}

func (a *app) click(m tea.MouseClickMsg, inPane bool) tea.Cmd {
	if m.Button != tea.MouseLeft {
		return nil
	}
	switch {
	case m.Y >= a.lay.status.Min.Y:
		return a.Run(keys.Palette)
	case inPane:
		a.mode = keys.Pane
		return a.pane.Click(m.X, m.Y)
	case m.Y >= a.lay.composer.Min.Y:
		a.mode = keys.Write
	default:
		if a.rooms.play.Click(m.Y - a.lay.play.Min.Y) {
			a.mode = keys.Browse
		}
	}
	return nil
}
