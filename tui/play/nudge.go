package play

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openNudge asks for an instruction for one reply.
func (r *Part) openNudge() tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	f := &widget.Form{Title: "Nudge", Verb: "ask for a reply",
		Notes: []string{"For one reply only: added at the end of the prompt and not saved."},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Instruction", "",
			"for example: let the storm break loose")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if text == "" {
			return nil, errors.New("enter what the reply should do")
		}
		return r.Nudge(text), nil
	}
	r.host.Open(f.Start())
	return nil
}

// Nudge requests the next reply of the open chat with an instruction that is not stored.
func (r *Part) Nudge(text string) tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	chat := r.view.Chat.ID
	r.list.Bottom()
	return pane.Try(r.host, func() error { return r.host.Engine().Play.Nudge(chat, text) })
}
