// Package knowledge is the room of what the play knows: its pane of facts by subject,
// and who knows them.
package knowledge

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// Room is the room of what the play knows.
type Room struct{ desk desk.Desk }

// New makes the room on its desk.
func New(d desk.Desk) *Room { return &Room{desk: d} }

// Actions implements desk.Room.
func (r *Room) Actions() []desk.Action {
	return []desk.Action{
		{Name: keys.PaneKnowledge, Words: "what the play knows, and who knows it", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"alt+f"}, Do: r.toggle},
	}
}

func (r *Room) toggle() tea.Cmd {
	return r.desk.Toggle(keys.PaneKnowledge, func() desk.Pane { return newPane(r.desk) })
}

// Event implements desk.Listener: the pane notes that what it shows may have changed.
func (r *Room) Event(ev event.Event) tea.Cmd {
	if p, ok := r.desk.Pane().(*pane); ok {
		p.event(ev)
	}
	return nil
}
