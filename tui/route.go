package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/library"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// route passes a key press to the dialog on top, then to the mode's own keys, then to the composer.
func (a *app) route(m tea.KeyPressMsg) tea.Cmd {
	if d := a.dialogs.Top(); d != nil {
		if act, _ := a.keys.Match(keys.Write, m.Keystroke()); act == keys.Quit {
			return a.quit()
		}
		if isWithinGrace(&a.dialogs, d, time.Now(), a.unasked) {
			return a.isTooSoon(m)
		}
		return a.pressed(d, m)
	}
	if act, ok := a.match(m); ok {
		return a.Run(act)
	}
	if a.mode == keys.Write {
		var cmd tea.Cmd
		cmd, a.typed = a.parts.play.Key(m)
		return cmd
	}
	return nil
}

// pressed passes a key press to a dialog: to its action, or to the help, or else to its Handle
// method.
func (a *app) pressed(d widget.Dialog, m tea.KeyPressMsg) tea.Cmd {
	if act := a.dialogs.Action(d, strokes(m)); act != nil {
		if why := act.Why(); why != "" {
			return a.Say(event.Info, why)
		}
		return act.Do()
	}
	mode := keys.Browse
	if d.Typing() {
		mode = keys.Write
	}
	for _, s := range strokes(m) {
		switch act, _ := a.keys.Match(mode, s); act {
		case keys.Help:
			return a.openHelp()
		case keys.Suspend:
			return a.Run(act)
		}
	}
	return a.toDialog(d, m)
}

// strokes returns the spellings of a key press, by priority.
func strokes(m tea.KeyPressMsg) []string {
	printed := m
	printed.BaseCode = 0 // a key of the user's choice comes before its position on a US keyboard
	if m.Text != "" && m.Mod&^tea.ModShift == 0 {
		return []string{printed.Keystroke(), m.Text, m.Keystroke(), keys.TextOnUS(m)}
	}
	return []string{printed.Keystroke(), m.Keystroke()}
}

// match returns the action that a key press means in the mode.
func (a *app) match(m tea.KeyPressMsg) (keys.Name, bool) {
	for _, s := range strokes(m) {
		if act, ok := meaning(a, s); ok {
			return act, true
		}
	}
	return "", false
}

// meaning returns the action that a keystroke leads to. In a pane it is the first possible action
// that is available now.
func meaning(a *app, stroke string) (keys.Name, bool) {
	if a.mode != keys.Pane {
		return a.keys.Match(a.mode, stroke)
	}
	list := a.keys.MatchPane(nameOf(a.pane), stroke)
	for _, act := range list {
		if d := a.paneAction(act); d != nil {
			return act, true
		}
	}
	if len(list) == 0 {
		return "", false
	}
	return list[0], true
}

func (a *app) toDialog(d widget.Dialog, m tea.Msg) tea.Cmd {
	cmd, done := d.Handle(m)
	if done {
		a.dialogs.Close(d)
	}
	return cmd
}

// paste inserts pasted text at the cursor. A single path of an importable file, as terminals paste
// for a dropped file, is offered for import.
func (a *app) paste(m tea.PasteMsg) tea.Cmd {
	if d := a.dialogs.Top(); d != nil {
		if isWithinGrace(&a.dialogs, d, time.Now(), a.unasked) {
			return a.isTooSoon(m)
		}
		return a.toDialog(d, m)
	}
	if len(m.Content) < 4096 && library.IsImportablePath(m.Content) {
		return a.Do(func() func() tea.Cmd {
			path, ok := formats.PastedPath(m.Content)
			return func() tea.Cmd {
				if ok {
					return a.parts.library.Import(path)
				}
				return a.pasteText(m)
			}
		})
	}
	return a.pasteText(m)
}

func (a *app) pasteText(m tea.PasteMsg) tea.Cmd {
	a.mode = keys.Write
	return a.Play().Type(m)
}

// mouse routes clicks and the wheel to the part at their position.
func (a *app) mouse(m tea.MouseMsg) tea.Cmd {
	if d := a.dialogs.Top(); d != nil {
		if isWithinGrace(&a.dialogs, d, time.Now(), a.unasked) {
			return nil
		}
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
		return a.parts.play.Scroll(step)
	case tea.MouseClickMsg:
		return a.click(m, inPane)
	case tea.MouseMotionMsg, tea.MouseReleaseMsg:
		if a.mode == keys.Write {
			return a.Play().Type(m)
		}
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
		a.Panes().Focus()
		cmd := a.pane.Click(m.X, m.Y)
		if a.twos.IsDouble(m) && m.Y > a.lay.pane.Min.Y+1 {
			cmd = tea.Batch(cmd, a.Run(keys.PaneEnter))
		}
		return cmd
	case m.Y >= a.lay.composer.Min.Y:
		a.mode = keys.Write
		return a.Play().Type(m)
	default:
		if a.parts.play.Click(m.Y - a.lay.play.Min.Y) {
			a.mode = keys.Browse
		}
	}
	return nil
}
