package play

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
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
		return r.searchFrom(r.list.Selected), nil
	}
	r.desk.Open(f.Start())
	return nil
}

func (r *Room) searchNext() tea.Cmd {
	if r.search.text == "" {
		return r.openSearch()
	}
	from := r.list.Selected - 1
	if r.search.wrapped {
		from = len(r.list.Items) - 1
	}
	return r.searchFrom(from)
}

// searchStep is how many messages are read at a time on the way up.
const searchStep = 2000

// searchFrom selects the first message at or above i that holds the text. Older
// messages are read from the store as the search comes to them.
func (r *Room) searchFrom(i int) tea.Cmd {
	want := strings.ToLower(r.search.text)
	r.search.wrapped = false
	for ; i >= 0; i-- {
		if strings.Contains(strings.ToLower(r.list.Items[i].Msg.Content), want) {
			r.list.Choose(i)
			return nil
		}
	}
	if r.list.More {
		before := len(r.list.Items)
		return r.loadOlder(searchStep, func() tea.Cmd { return r.searchFrom(len(r.list.Items) - before - 1) })
	}
	r.search.wrapped = true
	return r.desk.Say(event.Info, "\""+r.search.text+"\" is not found further up; "+r.desk.Keys().Key(keys.SearchNext, keys.Browse)+" begins again at the end")
}
