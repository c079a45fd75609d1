package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
)

// What tests of the whole program look at.

func (s *Screen) SetMode(m keys.Mode) { s.app.mode = m }

func (s *Screen) Warnings() []string { return s.app.opts.Warnings }

func (s *Screen) Display() *pictures.Display { return s.app.display }

// Does reports whether an action is declared.
func (s *Screen) Does(act keys.Name) bool { return s.app.actions[act] != nil }

// KeysHere returns the help for the current place.
func (s *Screen) KeysHere() (title string, rows []string) {
	title, list := helper{s.app}.keysHere()
	for _, r := range list {
		rows = append(rows, r.keys+": "+r.words)
	}
	return title, rows
}

// Meaning is the action that a keystroke leads to where the keys go now.
func (s *Screen) Meaning(stroke string) keys.Name {
	act, _ := meaning(s.app, stroke)
	return act
}

// PaneActions are the actions that the open pane has now.
func (s *Screen) PaneActions() []keys.Action { return actionsHere(s.app) }

// Tick is the clock's message.
var Tick tea.Msg = tickMsg{}

// DialogActions are the actions that the dialog on top has now, nil for no dialog; typing reports
// whether letters are text there.
func (s *Screen) DialogActions() (list []keys.Action, typing bool) {
	if d := s.app.dialogs.Top(); d != nil {
		return d.ActionsNow(), d.Typing()
	}
	return nil, false
}

// DialogMeaning is the action of the dialog on top that a keystroke leads to, "" for none.
func (s *Screen) DialogMeaning(stroke string) keys.Name {
	if act := s.app.dialogs.Action(s.app.dialogs.Top(), []string{stroke}); act != nil {
		return act.Name
	}
	return ""
}
