package tui

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/ecosystem"
	"ghostlight/engine/event"
	"ghostlight/engine/failure"
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
		if cmd, ok := a.quickKey(m.Keystroke()); ok {
			return cmd
		}
		return a.composer.key(m, a)
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
					return roomOf[*library.Room](a).Import(path)
				}
				return a.pasteText(m)
			}
		})
	}
	return a.pasteText(m)
}

func (a *app) pasteText(m tea.PasteMsg) tea.Cmd {
	a.mode = keys.Write
	return a.composer.key(m, a)
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
		a.play.Scroll(step)
		return a.older()
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
		row := m.Y - a.lay.play.Min.Y
		if row < 0 || row >= len(a.play.Rows) {
			return nil
		}
		// The rows are those of the last frame: the list may be shorter by now.
		if i := a.play.Rows[row]; i >= 0 && i < len(a.play.Items) {
			a.mode = keys.Browse
			a.play.Selected = i
		}
	}
	return nil
}

// older reads older messages from the store when the view comes near the first
// one at hand.
func (a *app) older() tea.Cmd {
	if !a.play.NearTop() {
		return nil
	}
	return a.loadOlder(300, nil)
}

// loadOlder reads n messages before the first one at hand, then does what is
// asked. While others are being read already, it waits for those.
func (a *app) loadOlder(n int, then func() tea.Cmd) tea.Cmd {
	p, first := a.play, a.play.First()
	if first == nil {
		return nil
	}
	if then != nil {
		p.Then = append(p.Then, then)
	}
	if p.Busy {
		return nil
	}
	p.Busy = true
	chat, node := a.view.Chat.ID, first.Msg.ID
	return a.Do(func() func() tea.Cmd {
		msgs, more, err := a.eng.Chats.Before(chat, node, n)
		return func() tea.Cmd {
			p.Busy = false
			after := p.Then
			p.Then = nil
			if a.play != p {
				return nil // another chat is open by now
			}
			if err != nil {
				return a.Fail(err)
			}
			if f := p.First(); f != nil && f.Msg.ID == node {
				p.Prepend(msgs, more)
				a.fadeCovered()
			}
			var cmds []tea.Cmd
			for _, f := range after {
				cmds = append(cmds, f())
			}
			return tea.Batch(cmds...)
		}
	})
}

// Fail shows in the status line what went wrong, and logs its cause.
func (a *app) Fail(err error) tea.Cmd {
	a.opts.Log.Warn("shown to the user", "err", err)
	return a.Say(event.Error, failure.Words(err))
}
