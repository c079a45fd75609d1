package lore

import (
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Count implements pane.Counter: how many changes wait to be reviewed.
func (r *Part) Count(storage.ChatID) []pane.Count {
	list, err := r.host.Engine().Lore.Inbox("", "")
	if err != nil || len(list) == 0 {
		return nil
	}
	return []pane.Count{{Action: keys.LoreInbox, Text: "inbox " + strconv.Itoa(len(list))}}
}
