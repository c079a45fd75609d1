// Package library is the room of what a play is made of: the chats, the characters and
// the personas, and how they come in and go out as files.
package library

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// Room is the room of chats, characters and personas.
type Room struct {
	desk   desk.Desk
	editor CharacterEditor
}

// CharacterEditor lets the user write a new character, or rewrite one.
type CharacterEditor interface {
	EditCharacter(c storage.Character) tea.Cmd
}

// New makes the room on its desk; e is for what a character's form needs to know of
// pictures.
func New(d desk.Desk, e CharacterEditor) *Room { return &Room{desk: d, editor: e} }

// Actions implements desk.Room.
func (r *Room) Actions() []desk.Action {
	house := func(name keys.Action, words string, do func() tea.Cmd, key ...string) desk.Action {
		return desk.Action{Name: name, Words: words, Group: keys.HouseGroup, Modes: keys.Any, Keys: key, Do: do}
	}
	return []desk.Action{
		house(keys.Chats, "chats", r.openChats, "ctrl+o"),
		house(keys.Characters, "characters", r.openCharacters, "ctrl+t"),
		house(keys.NewChat, "new chat", r.newChat, "ctrl+n"),
		house(keys.Personas, "who you play", r.openPersonas, "f8"),
		house(keys.ImportFile, "import a card or a chat", r.openImport, "f7"),
		house(keys.ExportChat, "export this chat", r.exportChat),
		house(keys.RenameChat, "rename this chat", r.openRename),
	}
}
