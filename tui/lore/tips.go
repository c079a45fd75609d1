package lore

import (
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Tips implements pane.TipSource, for lorebooks: with the first suggestion.
func (r *Part) Tips() []pane.Tip {
	return []pane.Tip{{Of: keys.LoreInbox, Line: "lorebook changes to review · %s: the inbox", Tip: tip.Tip{
		ID:   "lore-inbox",
		On:   func(ev event.Event) bool { _, ok := ev.(lore.Changed); return ok },
		Look: func(chat storage.ChatID) bool { return len(r.Count(chat)) > 0 },
	}}}
}
