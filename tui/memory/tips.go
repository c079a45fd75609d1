package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Tips implements pane.TipSource: a tip when the first hook is due.
func (r *Part) Tips() []pane.Tip {
	return []pane.Tip{{Of: keys.PaneMemory, Line: "a hook is due · %s: hooks", Tip: tip.Tip{
		ID: "hook-due",
		On: func(ev event.Event) bool {
			switch ev.(type) {
			case memory.Changed, play.ReplyEnded:
				return true
			}
			return false
		},
		Look: func(chat storage.ChatID) bool { return len(r.Count(chat)) > 0 },
	}}}
}
