// Package house is the room of what serves all others: the servers and their models,
// the connection profiles, the queue, and how the screen is drawn.
package house

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/house"
	"ghostlight/themes"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

// Room is the room of what serves all others.
type Room struct {
	desk    desk.Desk
	batches Batches
	screen  Screen
	library Library

	asked   bool            // the servers have answered once
	away    *widget.Confirm // the dialog about the absent server, open or not
	waiting bool            // the user waits for the server's answer there
	pull    house.PullProgressed
}

// Screen is what the room sets on the frame.
type Screen interface {
	// SetServers shows how the servers answered.
	SetServers(s house.Servers)
	// SetModel shows which model plays, before that is stored.
	SetModel(name string)
	// Rehearse leaves the screen for one with the rehearsal servers.
	Rehearse() tea.Cmd
	// Themes are those that there are.
	Themes() themes.Set
	// Appearance is how things are drawn now.
	Appearance() Appearance
	// SetAppearance has them drawn otherwise, until the end.
	SetAppearance(to Appearance)
}

// Library leads somebody who has no chat yet to the first one.
type Library interface {
	FirstChat() tea.Cmd
}

// New makes the room on its desk; b tells of batches.
func New(d desk.Desk, b Batches, s Screen, l Library) *Room {
	return &Room{desk: d, batches: b, screen: s, library: l}
}

// Actions implements desk.Room.
func (r *Room) Actions() []desk.Action {
	house := func(name keys.Action, words string, do func() tea.Cmd, key ...string) desk.Action {
		return desk.Action{Name: name, Words: words, Group: keys.HouseGroup, Modes: keys.Any, Keys: key, Do: do}
	}
	return []desk.Action{
		house(keys.Models, "choose a model", r.openModels, "f6"),
		house(keys.PullModel, "download a model", r.openPull),
		house(keys.UnloadModels, "unload all models", r.unloadModels),
		house(keys.Profiles, "connection profiles", r.openProfiles),
		house(keys.Themes, "choose a theme", r.openThemes, "f10"),
		house(keys.Retry, "ask the servers again", r.askServers, "f5"),
		{Name: keys.PaneQueue, Words: "queue pane", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"f3"}, Do: r.toggleQueue},
	}
}

func (r *Room) toggleQueue() tea.Cmd {
	return r.desk.Toggle(keys.PaneQueue, func() desk.Pane { return newQueue(r.desk, r.batches) })
}
