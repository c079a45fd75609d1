package library

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Room) openCharacters() tea.Cmd {
	return desk.Get(r.desk, r.desk.Engine().Library.Characters, r.showCharacters)
}

func (r *Room) showCharacters(list []storage.Character) tea.Cmd {
	var entries []widget.Entry
	for _, c := range list {
		detail := strings.Join(c.Card.Tags, ", ")
		if detail == "" {
			detail = chats.Named(c.Card.Description, c.Card, r.desk.Play().Chat().Persona)
		}
		entries = append(entries, widget.Entry{Title: c.Card.Name, Detail: detail, Right: string(c.Immersion), Value: c})
	}
	p := widget.NewPicker(r.desk.Look(), "Characters", entries,
		widget.With(func(c storage.Character) tea.Cmd { return r.beginChat(c.ID) }),
		widget.Always(keys.DialogBrowse, "import", r.openImport),
		widget.Always(keys.DialogNew, "new", r.NewCharacter),
		widget.Extra{Name: keys.DialogEdit, Words: "edit", Do: widget.With(r.editCharacter)},
		widget.Extra{Name: keys.DialogSave, Words: "export", Do: widget.With(r.exportCharacter)},
		widget.Extra{Name: keys.DialogDetails, Words: "notes, assets", Keep: true, Do: widget.With(r.openAssets)},
		widget.Extra{Name: keys.DialogDelete, Words: "delete", Do: widget.With(r.askDeleteCharacter)})
	key := func(name keys.Name) string { return r.desk.Keys().DialogKey(name, true) }
	p.Empty = "no characters yet: " + key(keys.DialogBrowse) + " imports a card, " + key(keys.DialogNew) + " creates one"
	r.desk.Open(p)
	return nil
}

func (r *Room) editCharacter(c storage.Character) tea.Cmd { return r.editor.EditCharacter(c, nil) }

// NewCharacter lets the user write a character, and begins a chat with it where none is open.
func (r *Room) NewCharacter() tea.Cmd {
	return r.editor.EditCharacter(storage.Character{Immersion: storage.Full}, func(c storage.Character) tea.Cmd {
		if r.desk.Play().Chat().Chat.ID == "" {
			return r.beginChat(c.ID)
		}
		return r.desk.Say(event.Info, safetext.Line(c.Card.Name)+" saved; start a chat from the character list")
	})
}

// ImportCard lets the user look for a card.
func (r *Room) ImportCard() tea.Cmd { return r.openImport() }

// Begin begins a chat with a character.
func (r *Room) Begin(id storage.CharacterID) tea.Cmd { return r.beginChat(id) }

// readNotes shows what a card's author tells of it. No model ever gets to see that.
func (r *Room) readNotes(c storage.Character) tea.Cmd {
	r.desk.Open(&widget.Reader{Title: "Creator's notes: " + safetext.Line(c.Card.Name),
		Lines: markdown.Text(c.Card.CreatorNotes)})
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
	if r.desk.Play().Chat().Chat.ID != "" {
		return nil
	}
	return desk.Get(r.desk, r.desk.Engine().Library.Characters, func(list []storage.Character) tea.Cmd {
		if r.desk.Play().Chat().Chat.ID != "" || !desk.Idle(r.desk) {
			return nil // the user began something meanwhile
		}
		cmd := r.showCharacters(list)
		r.desk.Dialogs().Unasked()
		return cmd
	})
}
