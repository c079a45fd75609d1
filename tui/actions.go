package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Run runs an action, however the user invoked it.
func (a *app) Run(act keys.Name) tea.Cmd {
	d := a.action(act)
	if d == nil {
		return nil
	}
	if why := d.Why(); why != "" {
		return a.Say(event.Info, why)
	}
	return d.Do()
}

// action returns the declaration of an action. The open pane comes first while it has the focus,
// else a part, else the pane.
func (a *app) action(act keys.Name) *keys.Action {
	if a.mode == keys.Pane {
		if d := a.paneAction(act); d != nil {
			return d
		}
	}
	if d, ok := a.actions[act]; ok {
		return d
	}
	return a.paneAction(act)
}

// runNamed runs an action that was chosen by its name, in any mode. For an action on a message, the
// messages get the focus first.
func (a *app) runNamed(b keys.Binding) tea.Cmd {
	if d := a.dialogs.Top(); d != nil {
		a.dialogs.Close(d) // the action must not run behind the dialog
	}
	if b.Modes&a.mode == 0 && b.Modes&keys.Browse != 0 {
		a.parts.play.Browse()
	}
	return tea.Batch(a.usedLately(b.Action), a.Run(b.Action))
}

// whyNot returns the reason why a named action is not available. The action need not be declared.
func (a *app) whyNot(act keys.Name) string {
	if d := a.action(act); d != nil {
		return d.Why()
	}
	return ""
}

// frame is the screen around the parts, as a part with its own actions.
type frame struct{ a *app }

// Actions implements pane.Part.
func (f frame) Actions() []keys.Action {
	a := f.a
	action := func(name keys.Name, group, words string, modes keys.Mode, do func() tea.Cmd, key ...string) keys.Action {
		return keys.Action{Name: name, Text: words, Group: group, Modes: modes, Keys: key, Do: do}
	}
	all := []keys.Action{
		action(keys.Palette, keys.GeneralGroup, "all commands", keys.Any, a.openPalette, "ctrl+p", ":"),
		action(keys.Leader, keys.GeneralGroup, "leader: every command by two letters", keys.Any,
			a.openLeader, "ctrl+x"),
		{Name: keys.LeaderHere, Text: "leader (while browsing)", Group: keys.GeneralGroup, Modes: keys.Browse,
			Keys: []string{"space"}, Hidden: true, Do: a.openLeader},
		action(keys.Help, keys.GeneralGroup, "keyboard help", keys.Any, a.openHelp, "?", "f1"),
		action(keys.Guide, keys.GeneralGroup, "open the guide", keys.Any, a.openGuide),
		action(keys.Redraw, keys.GeneralGroup, "redraw the screen", keys.Any,
			func() tea.Cmd { a.painter.Redraw(); return nil }, "ctrl+l"),
		{Name: keys.Lock, Text: "lock the screen until you enter the passphrase",
			Group: keys.GeneralGroup, Modes: keys.Any,
			Unavailable: func() string { return a.idle.whyNoLock() }, Do: func() tea.Cmd { return a.idle.lock() }},
		action(keys.Suspend, keys.GeneralGroup, "suspend", keys.Browse|keys.Pane, a.suspend, "ctrl+z"),
		action(keys.Quit, keys.GeneralGroup, "quit", keys.Any, a.quit, "ctrl+q"),
		action(keys.PaneFocus, keys.PlayGroup, "switch to the pane and back; next view", keys.Browse|keys.Pane,
			a.focusPane, "tab"),
		action(keys.PaneClose, keys.PlayGroup, "close the pane", keys.Any, func() tea.Cmd { a.closePane(); return nil },
			"q", "alt+x"),
		action(keys.PaneWider, keys.PaneGroup, "make the pane wider", keys.Pane,
			func() tea.Cmd { return a.resizePane(1) }, "+"),
		action(keys.PaneNarrower, keys.PaneGroup, "make the pane narrower", keys.Pane,
			func() tea.Cmd { return a.resizePane(-1) }, "-"),
		action(keys.PaneZoom, keys.PaneGroup, "full-screen pane on or off", keys.Pane, a.zoomPane, "="),
	}
	return pane.Unless(all, a.needsPane, keys.PaneFocus, keys.PaneClose, keys.PaneWider, keys.PaneNarrower,
		keys.PaneZoom)
}

// quit leaves the screen once pending changes are stored, or immediately if called twice. If
// something would be lost, it asks first.
func (a *app) quit() tea.Cmd {
	if a.gone.text == "" {
		if a.pending > 0 && !a.leaving {
			a.leaving = true
			return a.Say(event.Info, "saving …; "+a.keys.AnyKey(keys.Quit)+" again quits at once")
		}
		return tea.Quit
	}
	a.dialogs.Open(&widget.Confirm{Title: "The data file is gone", Text: "Unsaved changes are lost when you quit.",
		Choices: []widget.Choice{
			{Key: "c", Words: "save a copy of everything", Do: func() tea.Cmd { return a.Run(keys.CopyTo) }},
			{Key: "q", Words: "leave", Do: func() tea.Cmd { return tea.Quit }},
		}})
	return nil
}
