package pictures

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// confirmRequested shows the preview of a picture that the user asked for in the chat, if the user
// is idle with an empty composer, so that no key is meant for something else. Otherwise a notice
// says where it is.
func (r *Part) confirmRequested(c storage.Capture) tea.Cmd {
	if !r.idle(c.Chat) {
		return r.notifyRequested(c)
	}
	open := r.openCapture(c)
	return func() tea.Msg {
		msg := open()
		return pane.Callback(func() tea.Cmd {
			if !r.idle(c.Chat) { // the user began to type meanwhile
				return r.notifyRequested(c)
			}
			if then, ok := msg.(pane.Callback); ok {
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

// idle reports whether the user is not typing and no dialog or other chat is open.
func (r *Part) idle(chat storage.ChatID) bool {
	return r.host.Play().Chat().Chat.ID == chat && pane.Idle(r.host)
}

// notifyRequested notifies the user that a picture waits for review, and selects it in the
// gallery.
func (r *Part) notifyRequested(c storage.Capture) tea.Cmd {
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
