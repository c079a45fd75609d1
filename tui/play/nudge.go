package play

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openNudge asks for an instruction for one reply.
func (r *Room) openNudge() tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	f := &widget.Form{Title: "Nudge", Verb: "ask for a reply",
		Notes:  []string{"For one reply only: added at the end of the prompt and not saved."},
		Fields: []*widget.Field{widget.LineField(r.desk.Look(), "Instruction", "", "for example: let the storm break loose")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if text == "" {
			return nil, errors.New("enter what the reply should do")
		}
		return r.Nudge(text), nil
	}
	r.desk.Open(f.Start())
	return nil
}

// Nudge asks for the next reply of the open chat with an instruction that is kept
// nowhere.
func (r *Room) Nudge(text string) tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	chat := r.view.Chat.ID
	r.list.Bottom()
	return desk.Try(r.desk, func() error { return r.desk.Engine().Play.Nudge(chat, text) })
}
