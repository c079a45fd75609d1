package pictures

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// pictureAsked shows the preview of a picture that the user asked for in the
// talk, where no key that is meant for something else can fall into it: the user
// waits with an empty composer. Otherwise a notice says where it is.
func (r *Room) pictureAsked(c storage.Capture) tea.Cmd {
	if !r.idle(c.Chat) {
		return r.saidAsked(c)
	}
	open := r.openCapture(c)
	return func() tea.Msg {
		msg := open()
		return desk.Answer(func() tea.Cmd {
			if !r.idle(c.Chat) { // the user began to type meanwhile
				return r.saidAsked(c)
			}
			if then, ok := msg.(desk.Answer); ok {
				before := len(r.desk.Dialogs().All)
				cmd := then()
				if len(r.desk.Dialogs().All) > before {
					r.desk.Dialogs().Unasked()
				}
				return cmd
			}
			return nil
		})
	}
}

// idle tells whether the user neither types nor is busy elsewhere than in a chat.
func (r *Room) idle(chat storage.ChatID) bool {
	return r.desk.Play().Chat().Chat.ID == chat && desk.Idle(r.desk)
}

// saidAsked says that a picture waits for a look, and has the gallery show it.
func (r *Room) saidAsked(c storage.Capture) tea.Cmd {
	if c.Chat != r.desk.Play().Chat().Chat.ID {
		return r.desk.Say(event.Info, "picture requested in another chat; see its gallery")
	}
	if g := r.gallery(); g != nil {
		g.Wish, g.stale = string(c.ID), true
		return tea.Batch(g.Read(), r.desk.Say(event.Info, "picture requested: see the gallery"))
	}
	words := "picture requested; see the gallery"
	if k := r.desk.Keys().Key(keys.PaneCaptures, r.desk.Mode()); k != "" {
		words = "picture requested: " + k + " shows it"
	}
	return r.desk.Say(event.Info, words)
}
