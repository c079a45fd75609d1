package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Count implements pane.Counter: how many hooks are due.
func (r *Part) Count(chat storage.ChatID) []pane.Count {
	if chat == "" {
		return nil
	}
	hooks, err := r.host.Engine().Memory.Hooks(memory.Query{Chat: chat})
	due := 0
	for _, h := range hooks.List {
		if h.State == memory.HookDue {
			due++
		}
	}
	if err != nil || due == 0 {
		return nil
	}
	return []pane.Count{{Action: keys.PaneMemory, Text: draw.Plural(due, "hook") + " due"}}
}
