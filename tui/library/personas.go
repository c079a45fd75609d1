package library

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
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
		entries = append(entries, widget.Entry{Title: p.Name, Detail: chats.Named(p.Description, r.desk.Chat().Character.Card, p), Right: right, Value: p})
	}
	get := func(f func(storage.Persona) tea.Cmd) func(widget.Entry) tea.Cmd {
		return func(e widget.Entry) tea.Cmd { return f(e.Value.(storage.Persona)) }
	}
	chat := r.desk.Chat().Chat.ID
	p := widget.NewPicker(r.desk.Look(), "Personas", entries, get(func(p storage.Persona) tea.Cmd {
		return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.SetPersona(chat, p.ID) })
	}),
		widget.Extra{Key: "ctrl+n", Words: "new", Always: true, Do: func(widget.Entry) tea.Cmd { return r.editPersona(storage.Persona{}) }},
		widget.Extra{Key: "ctrl+e", Words: "edit", Do: get(r.editPersona)},
		widget.Extra{Key: "ctrl+s", Words: "make default", Do: get(func(p storage.Persona) tea.Cmd {
			p.Default = true
			return desk.Try(r.desk, func() error { _, err := r.desk.Engine().Library.SavePersona(p); return err })
		})},
		widget.Extra{Key: "ctrl+d", Words: "delete", Do: get(func(p storage.Persona) tea.Cmd {
			return desk.Try(r.desk, func() error { return r.desk.Engine().Library.DeletePersona(p.ID) })
		})})
	p.Empty = "no personas yet: ctrl+n creates one"
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
	chat := r.desk.Chat().Chat.ID
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
