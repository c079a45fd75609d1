package play

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Part) openAuthorNote() tea.Cmd {
	id := r.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Author's note", Notes: []string{noteWords(r.view.Chat.Note)},
		Fields: []*widget.Field{widget.TextField(r.host.Styles(), "", r.view.Chat.AuthorNote, 10)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := f.Fields[0].Value()
		return pane.Try(r.host, func() error { return r.host.Engine().Chats.SetAuthorNote(id, text) }), nil
	}
	plan := r.view.Chat.Note
	toDefault := func() tea.Cmd {
		plan = storage.NotePlan{}
		f.Notes = []string{noteWords(plan)}
		return pane.Try(r.host, func() error { return r.host.Engine().Chats.SetNotePlan(id, storage.NotePlan{}) })
	}
	f.Keys = []keys.Action{{Name: keys.DialogRemove, Hint: "default position", Do: toDefault,
		Visible: func() bool { return plan != storage.NotePlan{} }}}
	r.host.Open(f.Start())
	return nil
}

// noteWords describes how the author's note is added to prompts.
func noteWords(p storage.NotePlan) string {
	const what = "direction and style of the story."
	if p == (storage.NotePlan{}) {
		return "Added at the end of every prompt in this chat: " + what
	}
	often := "in every prompt"
	if p.Every > 1 {
		often = fmt.Sprintf("once every %d of your messages", p.Every)
	}
	switch {
	case p.Every == storage.NoteNever:
		return "Saved, but not sent in this chat."
	case p.Place == storage.NoteInPrompt:
		return "Added before the messages of this chat: " + what
	case p.Place == storage.NoteBeforePrompt:
		return "Added at the beginning of every prompt in this chat: " + what
	}
	return fmt.Sprintf("Added at depth %d, %s: ", p.Depth, often) + what
}
