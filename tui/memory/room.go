// Package memory is the room of what the story remembers and what is still to come:
// its pane of memories, hooks and threads, their forms, and the sheets that show where
// something was told.
package memory

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// Nudger asks for a reply with an instruction of its own.
type Nudger interface {
	// Nudge asks for the next reply of the open chat with an instruction that is kept
	// nowhere.
	Nudge(text string) tea.Cmd
}

// Room is the room of what the story remembers.
type Room struct {
	desk   desk.Desk
	nudger Nudger
}

// New makes the room on its desk; n is asked where a hook is to be brought up now.
func New(d desk.Desk, n Nudger) *Room { return &Room{desk: d, nudger: n} }

// Actions implements desk.Room.
func (r *Room) Actions() []desk.Action {
	return []desk.Action{{Name: keys.PaneMemory, Words: "memories, hooks and threads", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"alt+m"}, Do: r.toggle}}
}

func (r *Room) toggle() tea.Cmd {
	return r.desk.Toggle(keys.PaneMemory, func() desk.Pane { return newPane(r.desk, r.nudger) })
}

// Event implements desk.Listener: it follows what happens to memories, hooks and
// threads.
func (r *Room) Event(ev event.Event) tea.Cmd {
	if p, ok := r.desk.Pane().(*pane); ok {
		return p.event(ev)
	}
	return nil
}
