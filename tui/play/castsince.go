package play

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// mostSince is how many messages are offered as the first that a newcomer has heard.
const mostSince = 200

// sinceWords say since when somebody has been there.
func sinceWords(number int) string {
	switch number {
	case 0:
		return "since they joined"
	case 1:
		return "from the start"
	}
	return "since message " + strconv.Itoa(number)
}

// openSince offers since when a character has been there. What was said before it came in
// it then has heard, but for whispers.
func (d *castDialog) openSince(v chats.CastView) tea.Cmd {
	if v.Main {
		d.fault = look.Within(v.Name, 30) + " is the main character and is present from the start"
		return nil
	}
	entries := []widget.Entry{
		{Title: "Since they joined", Detail: "earlier messages are unknown to them", Value: 0},
		{Title: "From the start", Detail: "everything except whispers to others", Value: 1},
	}
	at := 0
	list := d.room.view.Messages
	for _, m := range list[max(0, len(list)-mostSince):] {
		if !m.Role.Told() || m.Deleted || strings.TrimSpace(m.Content) == "" || m.Depth == 0 {
			continue
		}
		entries = append(entries, widget.Entry{Title: "Since message " + strconv.Itoa(m.Depth+1), Detail: look.Within(m.Name+": "+strings.Join(strings.Fields(failure.FirstRunes(m.Content, 120)), " "), 120), Value: m.Depth + 1})
	}
	for i, e := range entries {
		if v.Said && e.Value == v.Since || !v.Said && i == 0 {
			at, entries[i].Right = i, "now"
		}
	}
	p := widget.NewPicker(d.room.desk.Look(), "Since when is "+look.Within(v.Name, 30)+" present?", entries, func(e widget.Entry) tea.Cmd {
		return d.since(v, e.Value.(int))
	})
	p.At = at
	d.room.desk.Open(p)
	return nil
}

// since says so, and notes how to take it back.
func (d *castDialog) since(v chats.CastView, number int) tea.Cmd {
	was := 0
	if v.Said {
		was = v.Since
	}
	set := func(number int) error { return d.room.desk.Engine().Chats.SetSince(d.chat, v.Character, number) }
	return d.order.Do(d.room.desk, func() func() tea.Cmd {
		err := set(number)
		return func() tea.Cmd {
			if err != nil {
				d.fault = failure.Words(err)
			} else {
				d.done, d.back = look.Within(v.Name, 30)+" is present "+sinceWords(number), func() error { return set(was) }
			}
			return d.room.askCast(nil)
		}
	})
}

// undo takes back what was done last.
func (d *castDialog) undo() tea.Cmd {
	back := d.back
	if back == nil {
		d.fault = "there is nothing to undo here"
		return nil
	}
	d.back = nil
	return d.change(back)
}
