package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

// openSearch asks what to look for in this chat, going up from the selection.
func (a *app) openSearch() tea.Cmd {
	f := &widget.Form{Title: "Search this chat", Fields: []*widget.Field{widget.LineField(a.lk, "Text", a.search, "")}, Foot: "enter search upwards · esc close"}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		if a.search = strings.TrimSpace(f.Fields[0].Value()); a.search == "" {
			return nil, nil
		}
		return a.searchFrom(a.play.Selected), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}

func (a *app) searchNext() tea.Cmd {
	if a.search == "" {
		return a.openSearch()
	}
	from := a.play.Selected - 1
	if a.wrapped {
		from = len(a.play.Items) - 1
	}
	return a.searchFrom(from)
}

// searchStep is how many messages are read at a time on the way up.
const searchStep = 2000

// searchFrom selects the first message at or above i that holds the text. Older
// messages are read from the store as the search comes to them.
func (a *app) searchFrom(i int) tea.Cmd {
	want := strings.ToLower(a.search)
	a.wrapped = false
	for ; i >= 0; i-- {
		if strings.Contains(strings.ToLower(a.play.Items[i].Msg.Content), want) {
			a.play.Choose(i)
			return nil
		}
	}
	if a.play.More {
		before := len(a.play.Items)
		return a.loadOlder(searchStep, func() tea.Cmd { return a.searchFrom(len(a.play.Items) - before - 1) })
	}
	a.wrapped = true
	return a.Say(event.Info, "\""+a.search+"\" is not found further up; "+a.keys.Key(keys.SearchNext, keys.Browse)+" begins again at the end")
}
