// Package settings is the part of the screen for common services: the servers and their models, the
// connection profiles, the queue, and the appearance of the screen.
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

// Part is the part of the screen for common services.
type Part struct {
	host    pane.Host
	batches Batches
	screen  Screen
	library Library

	settings Settings // nil if there is no config file
	userName string   // the user's name in the system, "" if unknown

	over   bool   // a chat has begun
	asking bool   // the questions of the first start are open, or about to be
	setup  *setup // the open dialog of them

	asked   bool            // the servers have answered once
	away    *widget.Confirm // the dialog about the offline server, open or not
	waiting bool            // the user waits for the server's answer there
	pull    models.PullProgressed
}

// Screen is the part's interface to the frame.
type Screen interface {
	// SetServers shows the state of the servers.
	SetServers(s models.Servers)
	// SetModel shows a chosen model before it is stored.
	SetModel(name string)
	// IsDemo reports whether the servers are those of demo mode.
	IsDemo() bool
	// OpenDemo leaves the screen for one with the demo servers.
	OpenDemo() tea.Cmd
	// Themes returns the available themes.
	Themes() themes.Set
	// Appearance returns the current appearance of the screen.
	Appearance() Appearance
	// Adopt applies a changed setting to the screen.
	Adopt(s config.Setting) tea.Cmd
	// SetAppearance changes the appearance until the program ends.
	SetAppearance(to Appearance)
}

// Library leads a user without a chat to the first one.
type Library interface {
	FirstChat() tea.Cmd
	// BeginChat begins a chat with a character.
	BeginChat(id storage.CharacterID) tea.Cmd
	// ImportCard opens the file dialog for a card.
	ImportCard() tea.Cmd
	// AskMoveIn starts the move from another program.
	AskMoveIn() tea.Cmd
	// NewCharacter opens the form of a new character.
	NewCharacter() tea.Cmd
}

// New creates the part for its host; b reports batches.
func New(d pane.Host, b Batches, s Screen, l Library) *Part {
	return &Part{host: d, batches: b, screen: s, library: l}
}

// SetUp gives the part the config file, and the user's name in the system.
func (r *Part) SetUp(s Settings, userName string) { r.settings, r.userName = s, userName }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	general := func(name keys.Name, words string, do func() tea.Cmd, key ...string) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.GeneralGroup, Modes: keys.Any, Keys: key, Do: do}
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
		{Name: keys.PaneQueue, Text: "queue pane", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"f3"},
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
