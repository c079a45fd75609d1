// Package taste is the room of what is learnt of how the user directs: its pane with
// the profile and the scenes, and its forms.
package taste

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Room is the room of what is learnt of how the user directs.
type Room struct{ desk desk.Desk }

// New makes the room on its desk.
func New(d desk.Desk) *Room { return &Room{desk: d} }

// Actions implements desk.Room.
func (r *Room) Actions() []keys.Action {
	return []keys.Action{{Name: keys.PaneTaste, Words: "taste: your preferences", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"alt+a"}, Do: r.toggle}}
}

func (r *Room) toggle() tea.Cmd {
	return r.desk.Panes().Open(keys.PaneTaste, func() desk.Pane { return newPane(r.desk) })
}
