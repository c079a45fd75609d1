// Package play is the room of the play itself: the list of messages, which the frame
// shows, and the pane that tells what the model is told next.
package play

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// Room is the room of the play.
type Room struct {
	desk   desk.Desk
	screen Screen
	prefix prefixNews
	visits visits
}

// Screen is what the room asks of the messages on the screen.
type Screen interface {
	// Replying tells whether a reply is being written in the open chat.
	Replying() bool
	// Positions puts for the ids of messages in a text where they stand in the chat.
	Positions(text string) string
}

// New makes the room on its desk.
func New(d desk.Desk, s Screen) *Room { return &Room{desk: d, screen: s} }

// Actions implements desk.Room.
func (r *Room) Actions() []desk.Action {
	return []desk.Action{
		{Name: keys.PanePrompt, Words: "prompt pane: what the model is told", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"f4"}, Do: r.togglePrompt},
	}
}

func (r *Room) togglePrompt() tea.Cmd {
	return r.desk.Toggle(keys.PanePrompt, func() desk.Pane { return newPromptPane(r.desk, r.screen) })
}
