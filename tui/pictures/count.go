package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// Count implements desk.Counter: how many captures wait to be sent.
func (r *Room) Count(storage.ChatID) []desk.Count {
	list, err := r.desk.Engine().Pictures.WaitingDrafts("")
	if err != nil || len(list) == 0 {
		return nil
	}
	return []desk.Count{{Action: keys.SendDrafts, Words: look.Plural(len(list), "draft")}}
}
