package lore

import (
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Count implements desk.Counter: how many changes wait to be reviewed.
func (r *Room) Count(storage.ChatID) []desk.Count {
	list, err := r.desk.Engine().Lore.Inbox("", "")
	if err != nil || len(list) == 0 {
		return nil
	}
	return []desk.Count{{Action: keys.LoreInbox, Words: "inbox " + strconv.Itoa(len(list))}}
}
