package tui

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// actions is what each action does.
type actions struct {
	declared map[keys.Action]*desk.Action // by the rooms
	plain    map[keys.Action]func(*app) tea.Cmd
}

// Run does an action, however the user asked for it.
func (a *app) Run(act keys.Action) tea.Cmd {
	if a.mode == keys.Pane {
		if d := a.paneAction(act); d != nil {
			return a.perform(d)
		}
	}
	if d, ok := a.actions.declared[act]; ok {
		return a.perform(d)
	}
	if f, ok := a.actions.plain[act]; ok {
		return f(a)
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

func newActions() actions {
	all := actions{plain: map[keys.Action]func(*app) tea.Cmd{}}
	all.house()
	return all
}

func (all actions) house() {
	do := all.plain
	do[keys.Quit] = func(a *app) tea.Cmd { return a.quit() }
	do[keys.Suspend] = func(a *app) tea.Cmd { a.term.give(); return tea.Suspend }
	do[keys.Redraw] = func(a *app) tea.Cmd { a.painter.Redraw(); return nil }
	do[keys.Palette] = (*app).openPalette
	do[keys.Help] = (*app).openHelp
	do[keys.PaneClose] = func(a *app) tea.Cmd { a.closePane(); return nil }
	do[keys.PaneFocus] = (*app).focusPane

}

func (a *app) quit() tea.Cmd { return tea.Quit }
