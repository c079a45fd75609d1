package tui

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/tui/desk"
	"ghostlight/tui/widget"
)

func (a *app) openAuthorNote() tea.Cmd {
	id := a.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Author's note", Notes: []string{"Told to the model at the end of every prompt of this chat: where the story should go, how it should sound."},
		Fields: []*widget.Field{widget.TextField(a.lk, "", a.view.Chat.AuthorNote, 10)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := f.Fields[0].Value()
		return desk.Try(a, func() error { return a.eng.Chats.SetAuthorNote(id, text) }), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}
