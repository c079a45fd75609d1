package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// Count implements desk.Counter: how many hooks are due.
func (r *Room) Count(chat storage.ChatID) []desk.Count {
	if chat == "" {
		return nil
	}
	hooks, err := r.desk.Engine().Memory.Hooks(memory.Query{Chat: chat})
	due := 0
	for _, h := range hooks.List {
		if h.State == memory.HookDue {
			due++
		}
	}
	if err != nil || due == 0 {
		return nil
	}
	return []desk.Count{{Action: keys.PaneMemory, Words: look.Plural(due, "hook") + " due"}}
}
