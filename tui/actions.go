package tui

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// Run does an action, however the user asked for it.
func (a *app) Run(act keys.Action) tea.Cmd {
	if a.mode == keys.Pane {
		if d := a.paneAction(act); d != nil {
			return a.perform(d)
		}
	}
	if d, ok := a.actions[act]; ok {
		return a.perform(d)
	}
	if d := a.paneAction(act); d != nil {
		return a.perform(d)
	}
	if p, ok := a.pane.(desk.Other); ok {
		return p.Other(act)
	}
	return nil
}

// perform does what was declared, or says why it cannot be done now.
func (a *app) perform(d *desk.Action) tea.Cmd {
	if d.When != nil {
		if why := d.When(); why != "" {
			return a.Say(event.Info, why)
		}
	}
	if d.Message == nil {
		return d.Do()
	}
	m, ok := a.Selected()
	if !ok {
		return a.Say(event.Info, "there is no message yet")
	}
	return d.Message(m)
}

// frame is the part of the screen around the rooms, as a room with actions of its own.
type frame struct{ a *app }

// Actions implements desk.Room.
func (f frame) Actions() []desk.Action {
	a := f.a
	action := func(name keys.Action, group, words string, modes keys.Mode, do func() tea.Cmd, key ...string) desk.Action {
		return desk.Action{Name: name, Words: words, Group: group, Modes: modes, Keys: key, Do: do}
	}
	return []desk.Action{
		action(keys.Palette, keys.HouseGroup, "all commands", keys.Any, a.openPalette, "ctrl+p", ":"),
		action(keys.Help, keys.HouseGroup, "this help", keys.Any, a.openHelp, "f1", "?"),
		action(keys.Guide, keys.HouseGroup, "read the guide", keys.Any, a.openGuide),
		action(keys.Redraw, keys.HouseGroup, "redraw the screen", keys.Any, func() tea.Cmd { a.painter.Redraw(); return nil }, "ctrl+l"),
		action(keys.Suspend, keys.HouseGroup, "suspend", keys.Any, func() tea.Cmd { a.term.give(); return tea.Suspend }, "ctrl+z"),
		action(keys.Quit, keys.HouseGroup, "quit", keys.Any, a.quit, "ctrl+q"),
		action(keys.PaneFocus, keys.PlayGroup, "switch to the pane and back", keys.Browse|keys.Pane, a.focusPane, "tab"),
		action(keys.PaneClose, keys.PlayGroup, "close the pane", keys.Any, func() tea.Cmd { a.closePane(); return nil }, "alt+x"),
	}
}

func (a *app) quit() tea.Cmd { return tea.Quit }
