// Package library is the part of the screen for chats, characters and personas, and for their
// import and export.
package library

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/library/movein"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Part is the part of the screen for chats, characters and personas.
type Part struct {
	host       pane.Host
	references References
}

// References shows the reference images of characters.
type References interface {
	OpenReferences(id storage.CharacterID) tea.Cmd
}

// New returns the part for a host.
func New(d pane.Host, r References) *Part { return &Part{host: d, references: r} }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	general := func(name keys.Name, words string, do func() tea.Cmd, key ...string) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.GeneralGroup, Modes: keys.Any, Keys: key, Do: do}
	}
	all := []keys.Action{
		general(keys.Chats, "chats", r.openChats, "ctrl+o"),
		general(keys.Characters, "characters", r.openCharacters, "ctrl+t"),
		general(keys.NewCharacter, "new character", r.NewCharacter),
		general(keys.NewChat, "new chat", r.newChat, "ctrl+n"),
		general(keys.Personas, "personas", r.openPersonas, "f8"),
		general(keys.ImportFile, "import a card or a chat", r.openImport, "f7"),
		general(keys.MoveIn, "import a SillyTavern data folder", r.AskMoveIn),
		general(keys.MoveReport, "import report", r.openMoveReport),
		general(keys.ExportChat, "export this chat", r.exportChat),
		general(keys.RenameChat, "rename this chat", r.openRename),
		{Name: keys.PaneBranches, Text: "map of the branches", Group: keys.PlayGroup, Modes: keys.Browse,
			Keys: []string{"T"}, Do: r.openBranches},
		{Name: keys.CompareTakes, Text: "compare or combine swipes", Group: keys.MessageGroup, Modes: keys.Browse,
			Unavailable: pane.NeedsMessage(r.host), Do: pane.OfSelected(r.host, r.compareSwipes)},
	}
	return pane.Unless(all, pane.NeedsChat(r.host), keys.ExportChat, keys.RenameChat)
}

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{{Name: branchesName, System: keys.SystemLibrary, Actions: newBranchPane(nil).Actions()}}
}

func (r *Part) openBranches() tea.Cmd {
	return r.host.Panes().Open(keys.PaneBranches, func() pane.Pane { return newBranchPane(r.host) })
}

// Event implements pane.Listener.
func (r *Part) Event(ev event.Event) tea.Cmd {
	if m, ok := ev.(movein.Finished); ok {
		return r.moveEnded(m.Move)
	}
	if p, ok := r.host.Panes().Current().(*branchPane); ok {
		return p.event(ev)
	}
	return nil
}

// Painted implements pane.Painted: it loads the preview of the chosen branch.
func (r *Part) Painted() tea.Cmd {
	if p, ok := r.host.Panes().Current().(*branchPane); ok {
		return p.loadPreview()
	}
	return nil
}
