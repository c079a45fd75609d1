package library

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Room) openPersonas() tea.Cmd {
	return desk.Get(r.desk, r.desk.Engine().Library.Personas, r.showPersonas)
}

func (r *Room) showPersonas(list []storage.Persona) tea.Cmd {
	var entries []widget.Entry
	for _, p := range list {
		right := ""
		if p.Default {
			right = "default"
		}
		entries = append(entries, widget.Entry{Title: p.Name, Detail: chats.Named(p.Description, r.desk.Play().Chat().Character.Card, p), Right: right, Value: p})
	}
	chat := r.desk.Play().Chat().Chat.ID
	p := widget.NewPicker(r.desk.Look(), "Personas", entries, widget.With(func(p storage.Persona) tea.Cmd {
		return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.SetPersona(chat, p.ID) })
	}),
		widget.Always(keys.DialogNew, "new", func() tea.Cmd { return r.editPersona(storage.Persona{}) }),
		widget.Extra{Name: keys.DialogEdit, Words: "edit", Do: widget.With(r.editPersona)},
		widget.Extra{Name: keys.DialogDefault, Words: "make default", Do: widget.With(func(p storage.Persona) tea.Cmd {
			p.Default = true
			return desk.Try(r.desk, func() error { _, err := r.desk.Engine().Library.SavePersona(p); return err })
		})},
		widget.Extra{Name: keys.DialogDelete, Words: "delete", Do: widget.With(func(p storage.Persona) tea.Cmd {
			return desk.Try(r.desk, func() error { return r.desk.Engine().Library.DeletePersona(p.ID) })
		})})
	p.Empty = "no personas yet: " + r.desk.Keys().DialogKey(keys.DialogNew, true) + " creates one"
	r.desk.Open(p)
	return nil
}

func (r *Room) editPersona(p storage.Persona) tea.Cmd {
	f := &widget.Form{Title: "Persona", Notes: []string{"Your character in the chat. Both fields are sent to the model."}, Fields: []*widget.Field{
		widget.LineField(r.desk.Look(), "Name", p.Name, "your name in the chat"),
		widget.TextField(r.desk.Look(), "Description", p.Description, 8),
	}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		n := p
		n.Name, n.Description = strings.TrimSpace(f.Fields[0].Value()), f.Fields[1].Value()
		if n.Name == "" {
			return nil, desk.ErrNeedsName
		}
		return desk.Get(r.desk, func() (storage.Persona, error) { return r.desk.Engine().Library.SavePersona(n) }, func(saved storage.Persona) tea.Cmd {
			if p.ID == "" {
				return r.askToPlay(saved)
			}
			return r.desk.Say(event.Info, "Persona saved")
		}), nil
	}
	r.desk.Open(f.Start())
	return nil
}

// askToPlay says that a new persona was saved, and asks whether to play it in the open chat.
func (r *Room) askToPlay(p storage.Persona) tea.Cmd {
	chat := r.desk.Play().Chat().Chat.ID
	if chat == "" {
		return r.desk.Say(event.Info, "Persona saved")
	}
	r.desk.Open(&widget.Confirm{Title: "Persona saved", Text: fmt.Sprintf("Play %s in this chat?", p.Name), Choices: []widget.Choice{
		{Key: "y", Words: "play it here", Do: func() tea.Cmd {
			return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.SetPersona(chat, p.ID) })
		}},
		{Key: "n", Words: "not now", Do: nil},
	}})
	return nil
}
