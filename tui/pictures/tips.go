package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// tips are those of pictures: once one could be painted, and there is something to be
// seen in it.
func tips(d desk.Desk) []desk.Tip {
	return []desk.Tip{{Of: keys.Capture, Line: "ComfyUI is online · %s: capture this scene", Tip: tip.Tip{ID: "capture", When: func() bool {
		m, ok := d.LastMessage()
		return ok && d.Servers().Comfy.Up && m.Role == storage.Assistant && m.Depth > 0
	}}}}
}
