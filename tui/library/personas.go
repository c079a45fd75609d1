package library

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Part) openPersonas() tea.Cmd {
	return pane.Get(r.host, r.host.Engine().Library.Personas, r.showPersonas)
}

func (r *Part) showPersonas(list []storage.Persona) tea.Cmd {
	var entries []widget.Entry
	for _, p := range list {
		right := ""
		if p.Default {
			right = "default"
		}
		entries = append(entries, widget.Entry{Title: p.Name,
			Detail: chats.Named(p.Description, r.host.Play().Chat().Character.Card, p), Right: right, Value: p})
	}
	chat := r.host.Play().Chat().Chat.ID
	p := widget.NewPicker(r.host.Styles(), "Personas", entries, widget.With(func(p storage.Persona) tea.Cmd {
		return pane.Try(r.host, func() error { return r.host.Engine().Chats.SetPersona(chat, p.ID) })
	}),
		widget.GlobalExtra(keys.DialogNew, "new", func() tea.Cmd { return r.editPersona(storage.Persona{}) }),
		widget.Extra{Name: keys.DialogEdit, Description: "edit", Do: widget.With(r.editPersona)},
		widget.Extra{Name: keys.DialogDefault, Description: "make default",
			Do: widget.With(func(p storage.Persona) tea.Cmd {
				p.Default = true
				return pane.Try(r.host, func() error { _, err := r.host.Engine().Library.SavePersona(p); return err })
			})},
		widget.Extra{Name: keys.DialogDelete, Description: "delete", Do: widget.With(func(p storage.Persona) tea.Cmd {
			return pane.Try(r.host, func() error { return r.host.Engine().Library.DeletePersona(p.ID) })
		})})
	p.Empty = "no personas yet: " + r.host.Keys().DialogKey(keys.DialogNew, true) + " creates one"
	r.host.Open(p)
	return nil
}

func (r *Part) editPersona(p storage.Persona) tea.Cmd {
	f := &pane.RecordForm[storage.Persona]{Title: "Persona", Record: &library.PersonaFields, Value: p,
		Fresh: p.ID == ""}
	f.Save = func(change func(*storage.Persona)) (func() tea.Cmd, error) {
		change(&p)
		saved, err := r.host.Engine().Library.SavePersona(p)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			if f.Fresh {
				return r.askToPlay(saved)
			}
			return r.host.Say(event.Info, "Persona saved")
		}, nil
	}
	f.Open(r.host)
	return nil
}

// askToPlay reports that a new persona was saved, and asks whether to use it in the open chat.
func (r *Part) askToPlay(p storage.Persona) tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "Persona saved")
	}
	r.host.Open(&widget.Confirm{Title: "Persona saved", Text: fmt.Sprintf("Play %s in this chat?", p.Name),
		Choices: []widget.Choice{
			{Key: "y", Words: "play it here", Do: func() tea.Cmd {
				return pane.Try(r.host, func() error { return r.host.Engine().Chats.SetPersona(chat, p.ID) })
			}},
			{Key: "n", Words: "not now", Do: nil},
		}})
	return nil
}
