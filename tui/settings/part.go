// Package settings is the part of the screen about what serves all others: the servers and their models,
// the connection profiles, the queue, and how the screen is drawn.
package settings

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Part is the part of the screen about what serves all others.
type Part struct {
	host    pane.Host
	batches Batches
	screen  Screen
	library Library

	settings Settings // nil if there is no config file
	userName string   // as the system knows the user, "" where it does not

	over   bool   // a chat was begun
	asking bool   // the questions of the first start, or whether they are to be asked
	setup  *setup // while they are

	asked   bool            // the servers have answered once
	away    *widget.Confirm // the dialog about the absent server, open or not
	waiting bool            // the user waits for the server's answer there
	pull    models.PullProgressed
}

// Screen is what the part sets on the frame.
type Screen interface {
	// SetServers shows how the servers answered.
	SetServers(s models.Servers)
	// SetModel shows which model plays, before that is stored.
	SetModel(name string)
	// Rehearsing reports whether the servers are the rehearsal's.
	Rehearsing() bool
	// Rehearse leaves the screen for one with the rehearsal servers.
	Rehearse() tea.Cmd
	// Themes are those that there are.
	Themes() themes.Set
	// Appearance is how things are drawn now.
	Appearance() Appearance
	// Adopt has the screen go by a setting that was changed.
	Adopt(s config.Setting) tea.Cmd
	// SetAppearance has them drawn otherwise, until the end.
	SetAppearance(to Appearance)
}

// Library leads somebody who has no chat yet to the first one.
type Library interface {
	FirstChat() tea.Cmd
	// BeginChat begins a chat with a character.
	BeginChat(id storage.CharacterID) tea.Cmd
	// ImportCard lets the user look for a card.
	ImportCard() tea.Cmd
	// AskMoveIn lets the user move in from another program.
	AskMoveIn() tea.Cmd
	// NewCharacter lets the user write one.
	NewCharacter() tea.Cmd
}

// New makes it for its host; b tells of batches.
func New(d pane.Host, b Batches, s Screen, l Library) *Part {
	return &Part{host: d, batches: b, screen: s, library: l}
}

// SetUp gives the part the config file, and the user's name as the system knows it.
func (r *Part) SetUp(s Settings, userName string) { r.settings, r.userName = s, userName }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	general := func(name keys.Name, words string, do func() tea.Cmd, key ...string) keys.Action {
		return keys.Action{Name: name, Words: words, Group: keys.GeneralGroup, Modes: keys.Any, Keys: key, Do: do}
	}
	all := []keys.Action{
		general(keys.Models, "choose a model", r.openModels, "f6"),
		general(keys.PullModel, "download a model", r.openPull),
		general(keys.UnloadModels, "unload all models", r.unloadModels),
		general(keys.Profiles, "connection profiles", r.openProfiles),
		general(keys.Settings, "settings", r.openSettings),
		general(keys.Themes, "choose a theme", r.openThemes, "f10"),
		general(keys.Backup, "back up everything now", r.backup),
		general(keys.CopyTo, "save a copy of everything to a file", r.copyTo),
		general(keys.Retry, "reconnect", r.askServers, "f5"),
		{Name: keys.PaneQueue, Words: "queue pane", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"f3"},
			Do: r.toggleQueue},
	}
	return pane.Unless(all, pane.NeedsOllama(r.host), keys.PullModel, keys.UnloadModels)
}

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{{Name: queueName, System: keys.SystemGeneral, Actions: newQueue(nil, nil).Actions()}}
}

func (r *Part) toggleQueue() tea.Cmd {
	return r.host.Panes().Open(keys.PaneQueue, func() pane.Pane { return newQueue(r.host, r.batches) })
}
