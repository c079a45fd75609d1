package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Count implements pane.Counter: how many captures wait to be sent.
func (r *Part) Count(storage.ChatID) []pane.Count {
	list, err := r.host.Engine().Pictures.WaitingDrafts("")
	if err != nil || len(list) == 0 {
		return nil
	}
	return []pane.Count{{Action: keys.SendDrafts, Text: draw.Plural(len(list), "draft")}}
}
