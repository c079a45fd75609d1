// Package library is the room of what a play is made of: the chats, the characters and
// the personas, and how they come in and go out as files.
package library

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/library/movein"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Room is the room of chats, characters and personas.
type Room struct {
	desk   desk.Desk
	editor CharacterEditor
}

// CharacterEditor lets the user write a new character, or rewrite one.
type CharacterEditor interface {
	EditCharacter(c storage.Character, then func(storage.Character) tea.Cmd) tea.Cmd
}

// New makes the room on its desk; e is for what a character's form needs to know of
// pictures.
func New(d desk.Desk, e CharacterEditor) *Room { return &Room{desk: d, editor: e} }

// Actions implements desk.Room.
func (r *Room) Actions() []keys.Action {
	house := func(name keys.Name, words string, do func() tea.Cmd, key ...string) keys.Action {
		return keys.Action{Name: name, Words: words, Group: keys.HouseGroup, Modes: keys.Any, Keys: key, Do: do}
	}
	all := []keys.Action{
		house(keys.Chats, "chats", r.openChats, "ctrl+o"),
		house(keys.Characters, "characters", r.openCharacters, "ctrl+t"),
		house(keys.NewCharacter, "new character", r.NewCharacter),
		house(keys.NewChat, "new chat", r.newChat, "ctrl+n"),
		house(keys.Personas, "personas", r.openPersonas, "f8"),
		house(keys.ImportFile, "import a card or a chat", r.openImport, "f7"),
		house(keys.MoveIn, "import a SillyTavern data folder", r.AskMoveIn),
		house(keys.MoveReport, "import report", r.openMoveReport),
		house(keys.ExportChat, "export this chat", r.exportChat),
		house(keys.RenameChat, "rename this chat", r.openRename),
		{Name: keys.PaneBranches, Words: "map of the branches", Group: keys.PlayGroup, Modes: keys.Browse, Keys: []string{"T"}, Do: r.openBranches},
		{Name: keys.CompareTakes, Words: "compare or combine swipes", Group: keys.MessageGroup, Modes: keys.Browse, When: desk.NeedsMessage(r.desk), Do: desk.OfSelected(r.desk, r.compareTakes)},
	}
	return desk.Unless(all, desk.NeedsChat(r.desk), keys.ExportChat, keys.RenameChat)
}

// Panes implements desk.Paned.
func (r *Room) Panes() []desk.PaneActions {
	return []desk.PaneActions{{Name: branchesName, System: keys.SystemLibrary, Actions: newBranchPane(nil).Actions()}}
}

func (r *Room) openBranches() tea.Cmd {
	return r.desk.Panes().Open(keys.PaneBranches, func() desk.Pane { return newBranchPane(r.desk) })
}

// Event implements desk.Listener.
func (r *Room) Event(ev event.Event) tea.Cmd {
	if m, ok := ev.(movein.Ended); ok {
		return r.moveEnded(m.Move)
	}
	if p, ok := r.desk.Panes().Current().(*branchPane); ok {
		return p.event(ev)
	}
	return nil
}

// Painted implements desk.Painted: the chosen branch is looked at.
func (r *Room) Painted() tea.Cmd {
	if p, ok := r.desk.Panes().Current().(*branchPane); ok {
		return p.look()
	}
	return nil
}
