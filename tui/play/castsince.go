package play

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// maxSince is the number of messages offered as the first one that a newcomer has heard.
const maxSince = 200

// sinceWords returns words about how long a character has been present.
func sinceWords(number int) string {
	switch number {
	case 0:
		return "since they joined"
	case 1:
		return "from the start"
	}
	return "since message " + strconv.Itoa(number)
}

// openSince offers the message from which a character has been present. The character is then
// considered to have heard everything since, except whispers to others.
func (d *castDialog) openSince(v chats.CastView) tea.Cmd {
	if v.Main {
		return d.Host.Say(event.Info, draw.Truncate(v.Name, 30)+" is the main character and is present from the start")
	}
	entries := []widget.Entry{
		{Title: "Since they joined", Detail: "earlier messages are unknown to them", Value: 0},
		{Title: "From the start", Detail: "everything except whispers to others", Value: 1},
	}
	at := 0
	list := d.part.view.Messages
	for _, m := range list[max(0, len(list)-maxSince):] {
		if !m.Role.InPrompt() || m.Deleted || strings.TrimSpace(m.Content) == "" || m.Depth == 0 {
			continue
		}
		entries = append(entries, widget.Entry{Title: "Since message " + strconv.Itoa(m.Depth+1),
			Detail: draw.Truncate(m.Name+": "+strings.Join(strings.Fields(failure.FirstRunes(m.Content, 120)), " "),
				120),
			Value: m.Depth + 1})
	}
	for i, e := range entries {
		if v.Said && e.Value == v.Since || !v.Said && i == 0 {
			at, entries[i].Right = i, "now"
		}
	}
	p := widget.NewPicker(d.Host.Styles(), "Since when is "+draw.Truncate(v.Name, 30)+" present?", entries,
		func(e widget.Entry) tea.Cmd {
			return d.since(v, e.Value.(int))
		})
	p.At = at
	d.Host.Open(p)
	return nil
}

// since sets the message from which a character has been present.
func (d *castDialog) since(v chats.CastView, number int) tea.Cmd {
	was := 0
	if v.Said {
		was = v.Since
	}
	set := func(number int) func() error {
		return func() error { return d.Host.Engine().Chats.SetSince(d.chat, v.Character, number) }
	}
	return d.Change(draw.Truncate(v.Name, 30)+" is present "+sinceWords(number), set(number), set(was))
}
