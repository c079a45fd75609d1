// Package house is the room of what serves all others: the queue and the connection
// profiles.
package house

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// Room is the room of what serves all others: the queue and the connection profiles.
type Room struct {
	desk    desk.Desk
	batches Batches
}

// New makes the room on its desk; b tells of batches.
func New(d desk.Desk, b Batches) *Room { return &Room{desk: d, batches: b} }

// Actions implements desk.Room.
func (r *Room) Actions() []desk.Action {
	return []desk.Action{
		{Name: keys.Profiles, Words: "connection profiles", Group: keys.HouseGroup, Modes: keys.Any, Do: r.openProfiles},
		{Name: keys.PaneQueue, Words: "queue pane", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"f3"}, Do: r.toggleQueue},
	}
}

func (r *Room) toggleQueue() tea.Cmd {
	return r.desk.Toggle(keys.PaneQueue, func() desk.Pane { return NewQueue(r.desk, r.batches) })
}
