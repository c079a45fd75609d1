package play

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

func (r *Room) edit(m chats.Message) tea.Cmd {
	if m.Role == storage.SceneCapture {
		return r.desk.Run(keys.Open)
	}
	chat := r.view.Chat.ID
	f := &widget.Form{Title: "Edit what " + desk.Speaker(m) + " said", Fields: []*widget.Field{widget.TextField(r.desk.Look(), "", m.Content, 20)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		if !f.Changed() {
			return nil, nil
		}
		text := f.Fields[0].Value()
		return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.Edit(chat, m.ID, text) }), nil
	}
	desk.EditorKey(r.desk, f, f.Fields[0].Input)
	r.desk.Open(f.Start())
	return nil
}

func (r *Room) remove(m chats.Message) tea.Cmd {
	chat := r.view.Chat.ID
	drop := func(below bool) func() tea.Cmd {
		return func() tea.Cmd {
			return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.Delete(chat, m.ID, below) })
		}
	}
	text := look.Clip(safetext.Line(m.Content), 50)
	r.desk.Open(&widget.Confirm{Title: "Delete", Text: desk.Speaker(m) + ": " + text, Choices: []widget.Choice{
		{Key: "d", Words: "delete this message (u undoes it)", Do: drop(false)},
		{Key: "a", Words: "delete it and all after it", Do: drop(true)},
	}})
	return nil
}

func (r *Room) undo() tea.Cmd {
	id := r.view.Chat.ID
	return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.Undo(id) })
}

func (r *Room) branch(m chats.Message) tea.Cmd {
	chat := r.view.Chat.ID
	r.screen.SetMode(keys.Write)
	return tea.Batch(desk.Try(r.desk, func() error { return r.desk.Engine().Chats.Branch(chat, m.ID) }),
		r.desk.Say(event.Info, "a new branch begins here; the old one is kept, ← → on a message lead back"))
}

func (r *Room) copy(m chats.Message) tea.Cmd {
	return tea.Batch(r.desk.Copy(m.Content), r.desk.Say(event.Info, "copied"))
}

func (r *Room) foldThinking(m chats.Message) tea.Cmd {
	if i := r.list.Find(m.ID); i >= 0 {
		it := r.list.Items[i]
		it.Unfolded = !it.Unfolded
	}
	return nil
}
