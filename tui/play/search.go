package play

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

// search is what is looked for in the open chat.
type search struct {
	text    string
	wrapped bool // it came to the top
}

// openSearch asks what to look for in this chat, going up from the selection.
func (r *Room) openSearch() tea.Cmd {
	f := &widget.Form{Title: "Search this chat", Fields: []*widget.Field{widget.LineField(r.desk.Look(), "Text", r.search.text, "")}, Foot: "enter search upwards · esc close"}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		if r.search.text = strings.TrimSpace(f.Fields[0].Value()); r.search.text == "" {
			return nil, nil
		}
		return r.searchFrom(r.list.Selected, r.list.begin(r.list.Selected)), nil
	}
	r.desk.Open(f.Start())
	return nil
}

func (r *Room) searchNext() tea.Cmd {
	if r.search.text == "" {
		return r.openSearch()
	}
	from := r.list.Selected
	if r.search.wrapped {
		from = len(r.list.Items)
	}
	return r.searchFrom(from-1, r.list.begin(from))
}

// searchFrom selects the first message from i up to first that holds the text. What lies
// above those, and is not at hand, is looked through in the store.
func (r *Room) searchFrom(i, first int) tea.Cmd {
	text := r.search.text
	want := strings.ToLower(text)
	r.search.wrapped = false
	for ; i >= first; i-- {
		if strings.Contains(strings.ToLower(r.list.Items[i].Msg.Content), want) {
			r.list.Choose(i)
			return r.nearby()
		}
	}
	if len(r.list.Items) == 0 || !r.list.olderThan(first) {
		return r.search.all(r.desk)
	}
	chat, above := r.view.Chat.ID, r.list.Items[first].Msg.ID
	return jump(r, func() (storage.NodeID, error) { return r.desk.Engine().Chats.FindAbove(chat, above, text) }, func(node storage.NodeID) tea.Cmd {
		if node == "" {
			return r.search.all(r.desk)
		}
		return r.Find(node, func(bool) tea.Cmd {
			r.list.Choose(r.list.Find(node))
			return r.nearby()
		})
	})
}

// all says that the search came to the top.
func (s *search) all(d desk.Desk) tea.Cmd {
	s.wrapped = true
	return d.Say(event.Info, "\""+s.text+"\" is not found further up; "+d.Keys().Key(keys.SearchNext, keys.Browse)+" begins again at the end")
}
