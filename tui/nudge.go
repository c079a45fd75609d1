package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/tui/desk"
	"ghostlight/tui/widget"
)

// openNudge asks for an instruction for one reply.
func (a *app) openNudge() tea.Cmd {
	if cmd, ok := a.maySend(); !ok {
		return cmd
	}
	f := &widget.Form{Title: "Nudge", Foot: "enter ask for a reply · esc close",
		Notes:   []string{"For one reply: the model is told this at the end of its prompt, and it is kept nowhere."},
		Unsaved: "esc again throws it away, enter asks for a reply",
		Fields:  []*widget.Field{widget.LineField(a.lk, "Do this", "", "such as: let the storm break loose")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if text == "" {
			return nil, errors.New("say what the reply should do")
		}
		return a.nudge(text), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}

// nudge asks for a reply with an instruction of its own.
func (a *app) nudge(text string) tea.Cmd {
	if cmd, ok := a.maySend(); !ok {
		return cmd
	}
	chat := a.view.Chat.ID
	a.play.Bottom()
	return desk.Try(a, func() error { return a.eng.Play.Nudge(chat, text) })
}
