package library

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/markdown"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

func (r *Room) openCharacters() tea.Cmd {
	return desk.Get(r.desk, r.desk.Engine().Library.Characters, r.showCharacters)
}

func (r *Room) showCharacters(list []storage.Character) tea.Cmd {
	var entries []widget.Entry
	noted := false
	for _, c := range list {
		noted = noted || c.Card.CreatorNotes != ""
		detail := strings.Join(c.Card.Tags, ", ")
		if detail == "" {
			detail = c.Card.Description
		}
		entries = append(entries, widget.Entry{Title: c.Card.Name, Detail: detail, Right: string(c.Immersion), Value: c})
	}
	get := func(f func(storage.Character) tea.Cmd) func(widget.Entry) tea.Cmd {
		return func(e widget.Entry) tea.Cmd { return f(e.Value.(storage.Character)) }
	}
	p := widget.NewPicker(r.desk.Look(), "Characters: who is on stage?", entries,
		get(func(c storage.Character) tea.Cmd { return r.beginChat(c.ID) }),
		widget.Extra{Key: "ctrl+o", Words: "import", Always: true, Do: func(widget.Entry) tea.Cmd { return r.openImport() }},
		widget.Extra{Key: "ctrl+n", Words: "new", Always: true, Do: func(widget.Entry) tea.Cmd { return r.editor.EditCharacter(storage.Character{Immersion: storage.Full}) }},
		widget.Extra{Key: "ctrl+e", Words: "edit", Do: get(r.editor.EditCharacter)},
		widget.Extra{Key: "ctrl+s", Words: "export", Do: get(r.exportCharacter)},
		widget.Extra{Key: "ctrl+d", Words: "delete", Do: get(r.askDeleteCharacter)})
	if noted {
		p.Extras = slices.Insert(p.Extras, 3, widget.Extra{Key: "ctrl+r", Words: "notes", Keep: true, Do: get(r.readNotes)})
	}
	p.Empty = "no character yet: ctrl+o imports a card, ctrl+n makes one"
	r.desk.Open(p)
	return nil
}

// readNotes shows what a card's author tells of it. No model ever gets to see that.
func (r *Room) readNotes(c storage.Character) tea.Cmd {
	notes := c.Card.CreatorNotes
	if notes == "" {
		notes = "This card has no creator's notes."
	}
	r.desk.Open(&widget.Reader{Title: "Creator's notes: " + safetext.Line(c.Card.Name), Lines: markdown.Text(notes, r.desk.Look())})
	return nil
}

func (r *Room) askDeleteCharacter(c storage.Character) tea.Cmd {
	r.desk.Open(&widget.Confirm{Title: "Delete character", Text: "Delete " + safetext.Line(c.Card.Name) + "? Chats with this character are kept and stay readable.",
		Choices: []widget.Choice{{Key: "n", Words: "keep the character", Do: nil}, {Key: "y", Words: "delete the character", Do: func() tea.Cmd {
			return desk.Try(r.desk, func() error { return r.desk.Engine().Library.DeleteCharacter(c.ID) })
		}}}})
	return nil
}

func (r *Room) exportCharacter(c storage.Character) tea.Cmd {
	return desk.Get(r.desk, func() (string, error) { return r.desk.Engine().Library.ExportCharacterFile(c.ID, "png", "") }, r.written)
}

// FirstChat offers the characters to somebody who has no chat yet.
func (r *Room) FirstChat() tea.Cmd {
	if r.desk.Chat().Chat.ID != "" {
		return nil
	}
	return desk.Get(r.desk, r.desk.Engine().Library.Characters, func(list []storage.Character) tea.Cmd {
		if r.desk.Chat().Chat.ID != "" || !r.desk.Idle() {
			return nil // the user began something meanwhile
		}
		return r.showCharacters(list)
	})
}
