package library

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
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
			detail = chats.Named(c.Card.Description, c.Card, r.desk.Chat().Persona)
		}
		entries = append(entries, widget.Entry{Title: c.Card.Name, Detail: detail, Right: string(c.Immersion), Value: c})
	}
	get := func(f func(storage.Character) tea.Cmd) func(widget.Entry) tea.Cmd {
		return func(e widget.Entry) tea.Cmd { return f(e.Value.(storage.Character)) }
	}
	p := widget.NewPicker(r.desk.Look(), "Characters", entries,
		get(func(c storage.Character) tea.Cmd { return r.beginChat(c.ID) }),
		widget.Extra{Key: "ctrl+o", Words: "import", Always: true, Do: func(widget.Entry) tea.Cmd { return r.openImport() }},
		widget.Extra{Key: "ctrl+n", Words: "new", Always: true, Do: func(widget.Entry) tea.Cmd { return r.NewCharacter() }},
		widget.Extra{Key: "ctrl+e", Words: "edit", Do: get(func(c storage.Character) tea.Cmd { return r.editor.EditCharacter(c, nil) })},
		widget.Extra{Key: "ctrl+s", Words: "export", Do: get(r.exportCharacter)},
		widget.Extra{Key: "ctrl+b", Words: "assets", Keep: true, Do: get(r.openAssets)},
		widget.Extra{Key: "ctrl+d", Words: "delete", Do: get(r.askDeleteCharacter)})
	if noted {
		p.Extras = slices.Insert(p.Extras, 3, widget.Extra{Key: "ctrl+r", Words: "notes", Keep: true, Do: get(r.readNotes)})
	}
	p.Empty = "no characters yet: ctrl+o imports a card, ctrl+n creates one"
	r.desk.Open(p)
	return nil
}

// NewCharacter lets the user write a character, and begins a chat with it where none is open.
func (r *Room) NewCharacter() tea.Cmd {
	return r.editor.EditCharacter(storage.Character{Immersion: storage.Full}, func(c storage.Character) tea.Cmd {
		if r.desk.Chat().Chat.ID == "" {
			return r.beginChat(c.ID)
		}
		return r.desk.Say(event.Info, safetext.Line(c.Card.Name)+" saved; press enter in the character list to start a chat")
	})
}

// ImportCard lets the user look for a card.
func (r *Room) ImportCard() tea.Cmd { return r.openImport() }

// Begin begins a chat with a character.
func (r *Room) Begin(id storage.CharacterID) tea.Cmd { return r.beginChat(id) }

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
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete", Do: func() tea.Cmd {
			return desk.Try(r.desk, func() error { return r.desk.Engine().Library.DeleteCharacter(c.ID) })
		}}}})
	return nil
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
		cmd := r.showCharacters(list)
		r.desk.Unasked()
		return cmd
	})
}
