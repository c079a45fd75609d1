package play

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Room) openAuthorNote() tea.Cmd {
	id := r.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Author's note", Notes: []string{noteWords(r.view.Chat.Note)},
		Fields: []*widget.Field{widget.TextField(r.desk.Look(), "", r.view.Chat.AuthorNote, 10)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := f.Fields[0].Value()
		return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.SetAuthorNote(id, text) }), nil
	}
	if r.view.Chat.Note != (storage.NotePlan{}) {
		f.Foot = "^R as usual · ^S save · esc close"
		f.Keys = []widget.Extra{{Key: "ctrl+r", Words: "tell it as usual", Keep: true, Do: func(widget.Entry) tea.Cmd {
			f.Notes, f.Keys, f.Foot = []string{noteWords(storage.NotePlan{})}, nil, ""
			return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.SetNotePlan(id, storage.NotePlan{}) })
		}}}
	}
	r.desk.Open(f.Start())
	return nil
}

// noteWords tell how the note is told.
func noteWords(p storage.NotePlan) string {
	const what = "where the story should go, how it should sound."
	if p == (storage.NotePlan{}) {
		return "Added at the end of every prompt in this chat: " + what
	}
	often := "with every turn"
	if p.Every > 1 {
		often = fmt.Sprintf("once in %d messages of yours", p.Every)
	}
	switch {
	case p.Every == storage.NoteNever:
		return "Kept, but not told in this chat."
	case p.Place == storage.NoteInPrompt:
		return "Told before the messages of this chat: " + what
	case p.Place == storage.NoteBeforePrompt:
		return "Told at the very beginning of every prompt in this chat: " + what
	}
	return fmt.Sprintf("Told %d messages above the newest, %s: ", p.Depth, often) + what
}
