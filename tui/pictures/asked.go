package pictures

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// pictureAsked shows the preview of a picture that the user asked for in the
// talk, where no key that is meant for something else can fall into it: the user
// waits with an empty composer. Otherwise a notice says where it is.
func (r *Part) pictureAsked(c storage.Capture) tea.Cmd {
	if !r.idle(c.Chat) {
		return r.saidAsked(c)
	}
	open := r.openCapture(c)
	return func() tea.Msg {
		msg := open()
		return pane.Answer(func() tea.Cmd {
			if !r.idle(c.Chat) { // the user began to type meanwhile
				return r.saidAsked(c)
			}
			if then, ok := msg.(pane.Answer); ok {
				before := len(r.host.Dialogs().All)
				cmd := then()
				if len(r.host.Dialogs().All) > before {
					r.host.Dialogs().MarkUnasked()
				}
				return cmd
			}
			return nil
		})
	}
}

// idle reports whether the user neither types nor is busy elsewhere than in a chat.
func (r *Part) idle(chat storage.ChatID) bool {
	return r.host.Play().Chat().Chat.ID == chat && pane.Idle(r.host)
}

// saidAsked says that a picture waits for a look, and has the gallery show it.
func (r *Part) saidAsked(c storage.Capture) tea.Cmd {
	if c.Chat != r.host.Play().Chat().Chat.ID {
		return r.host.Say(event.Info, "picture requested in another chat; see its gallery")
	}
	if g := r.gallery(); g != nil {
		g.PendingKey, g.stale = string(c.ID), true
		return tea.Batch(g.Read(), r.host.Say(event.Info, "picture requested: see the gallery"))
	}
	words := "picture requested; see the gallery"
	if k := r.host.Keys().Key(keys.PaneCaptures, r.host.Mode()); k != "" {
		words = "picture requested: " + k + " shows it"
	}
	return r.host.Say(event.Info, words)
}
