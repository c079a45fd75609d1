package library

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Part) openCharacters() tea.Cmd {
	return pane.Get(r.host, r.host.Engine().Library.Characters, r.showCharacters)
}

func (r *Part) showCharacters(list []storage.Character) tea.Cmd {
	var entries []widget.Entry
	for _, c := range list {
		detail := strings.Join(c.Card.Tags, ", ")
		if detail == "" {
			detail = chats.Named(c.Card.Description, c.Card, r.host.Play().Chat().Persona)
		}
		entry := widget.Entry{Title: c.Card.Name, Detail: detail, Right: string(c.Immersion), Value: c}
		entries = append(entries, entry)
	}
	p := widget.NewPicker(r.host.Styles(), "Characters", entries,
		widget.With(func(c storage.Character) tea.Cmd { return r.beginChat(c.ID) }),
		widget.GlobalExtra(keys.DialogBrowse, "import", r.openImport),
		widget.GlobalExtra(keys.DialogNew, "new", r.NewCharacter),
		widget.Extra{Name: keys.DialogEdit, Description: "edit", Do: widget.With(r.editCharacter)},
		widget.Extra{Name: keys.DialogSave, Description: "export", Do: widget.With(r.exportCharacter)},
		widget.Extra{Name: keys.DialogDetails, Description: "notes, assets", Keep: true, Do: widget.With(r.openAssets)},
		widget.Extra{Name: keys.DialogDelete, Description: "delete", Do: widget.With(r.askDeleteCharacter)})
	key := func(name keys.Name) string { return r.host.Keys().DialogKey(name, true) }
	p.Empty = "no characters yet: " + key(keys.DialogBrowse) + " imports a card, " +
		key(keys.DialogNew) + " creates one"
	r.host.Open(p)
	return nil
}

// NewCharacter opens the form of a new character, and begins a chat with it if none is open.
func (r *Part) NewCharacter() tea.Cmd {
	return r.openForm(library.CharacterFields.Default(), func(c storage.Character) tea.Cmd {
		if r.host.Play().Chat().Chat.ID == "" {
			return r.beginChat(c.ID)
		}
		return r.host.Say(event.Info, safetext.Line(c.Card.Name)+" saved; start a chat from the character list")
	})
}

func (r *Part) editCharacter(c storage.Character) tea.Cmd {
	return r.openForm(c, func(storage.Character) tea.Cmd { return nil })
}

// openForm opens the form of a character. then is called after it was saved.
func (r *Part) openForm(c storage.Character, then func(storage.Character) tea.Cmd) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		flows := r.host.Engine().Pictures.Workflows
		record := library.CharacterFields.With("workflow", flows.Choices(string(capture.Image))).
			With("video_workflow", flows.Choices(string(capture.Video)))
		return func() tea.Cmd {
			r.characterForm(c, record, then).Open(r.host)
			return nil
		}
	})
}

func (r *Part) characterForm(
	c storage.Character, record *field.Record[storage.Character], then func(storage.Character) tea.Cmd,
) *pane.RecordForm[storage.Character] {
	f := &pane.RecordForm[storage.Character]{Title: "New character", Record: record, Value: c, Fresh: c.ID == ""}
	if !f.Fresh {
		f.Title = "Edit " + safetext.Line(c.Card.Name)
		f.Keys = []keys.Action{{Name: keys.DialogBrowse, Hint: "reference images",
			Do: func() tea.Cmd { return r.references.OpenReferences(c.ID) }}}
	}
	f.Save = func(change func(*storage.Character)) (func() tea.Cmd, error) {
		svc, now := r.host.Engine().Library, c
		if !f.Fresh {
			var err error
			if now, err = svc.FindCharacter(string(c.ID)); err != nil {
				return nil, err
			}
		}
		change(&now)
		saved, err := svc.SaveCharacter(now)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return then(saved) }, nil
	}
	return f
}

// ImportCard opens the file dialog for a card.
func (r *Part) ImportCard() tea.Cmd { return r.openImport() }

// BeginChat begins a chat with a character.
func (r *Part) BeginChat(id storage.CharacterID) tea.Cmd { return r.beginChat(id) }

// readNotes shows the creator's notes of a card. They are never sent to a model.
func (r *Part) readNotes(c storage.Character) tea.Cmd {
	reader := &widget.Reader{Title: "Creator's notes: " + safetext.Line(c.Card.Name)}
	screen, _ := r.host.Size()
	w, sty := reader.LineWidth(screen), r.host.Styles()
	return r.host.Do(func() func() tea.Cmd {
		reader.Lines = markdown.Text(c.Card.CreatorNotes, w, sty)
		return func() tea.Cmd {
			r.host.Open(reader)
			return nil
		}
	})
}

func (r *Part) askDeleteCharacter(c storage.Character) tea.Cmd {
	r.host.Open(
		&widget.Confirm{
			Title: "Delete character",
			Text:  "Delete " + safetext.Line(c.Card.Name) + "? Chats with this character are kept and stay readable.",
			Choices: []widget.Choice{
				{Key: "n", Words: "cancel", Do: nil},
				{Key: "y", Words: "delete", Do: func() tea.Cmd {
					return pane.Try(r.host, func() error { return r.host.Engine().Library.DeleteCharacter(c.ID) })
				}},
			},
		},
	)
	return nil
}

// FirstChat offers the characters to a user without chats.
func (r *Part) FirstChat() tea.Cmd {
	if r.host.Play().Chat().Chat.ID != "" {
		return nil
	}
	return pane.Get(r.host, r.host.Engine().Library.Characters, func(list []storage.Character) tea.Cmd {
		if r.host.Play().Chat().Chat.ID != "" || !pane.Idle(r.host) {
			return nil // the user began something meanwhile
		}
		cmd := r.showCharacters(list)
		r.host.Dialogs().MarkUnasked()
		return cmd
	})
}
