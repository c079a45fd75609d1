package play

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/tui/desk"
	"ghostlight/tui/widget"
)

func (r *Room) openAuthorNote() tea.Cmd {
	id := r.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Author's note", Notes: []string{"Added at the end of every prompt in this chat: where the story should go, how it should sound."},
		Fields: []*widget.Field{widget.TextField(r.desk.Look(), "", r.view.Chat.AuthorNote, 10)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := f.Fields[0].Value()
		return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.SetAuthorNote(id, text) }), nil
	}
	r.desk.Open(f.Start())
	return nil
}
