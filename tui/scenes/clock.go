package scenes

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

const (
	minClock = 60 // cells of the status line from which it shows the story's time
	maxClock = 32 // maximum width, in cells
)

// Status implements pane.Status: the time in the story, if it is known.
func (r *Part) Status(w int) []string {
	s := r.host.Play().Scenes()
	if w < minClock || s.Clock.Text == "" || s.Chat != r.host.Play().Chat().Chat.ID {
		return nil
	}
	return []string{draw.Clip(s.Clock.Text, maxClock)}
}

// clockWords returns the current story time in words.
func clockWords(s scenes.Scenes) string {
	return "story time: " + cmp.Or(s.Clock.Text, "unknown")
}

// openClock asks for the story time from here on.
func (r *Part) openClock() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	now := r.host.Play().Scenes().Clock
	note := "Not known yet. The model updates it after each turn if the story mentions the time."
	if now.Text != "" {
		note = "Now: " + draw.Truncate(now.Text, 60) + ". "
		if now.By == storage.ClockUser {
			note += "Set by you."
		} else {
			note += "From the story."
		}
	}
	f := &widget.Form{Title: "Story time", Verb: "set", Notes: []string{note},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Time from here", now.Text,
			"Thursday evening · 3 March, 19:40 · day 4; empty: unknown")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		in := f.Fields[0].Input
		if !in.Changed() {
			return nil, nil
		}
		words := in.Value()
		return r.changeScenes(func() error { return r.host.Engine().Scenes.SetClock(chat, words, nil) }, clockWords),
			nil
	}
	r.host.Open(f.Start())
	return nil
}

// undoClock undoes the user's last change of the story time.
func (r *Part) undoClock() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.changeScenes(func() error { return r.host.Engine().Scenes.UndoClock(chat) }, clockWords)
}
