package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Tips implements desk.Teacher, for pictures: once one could be painted, and there is something to be
// seen in it.
func (r *Room) Tips() []desk.Tip {
	d := r.desk
	return []desk.Tip{{Of: keys.Capture, Line: "ComfyUI is online · %s: capture this scene", Tip: tip.Tip{ID: "capture", When: func() bool {
		m, ok := d.Play().LastMessage()
		return ok && d.Work().Servers().Comfy.Up && m.Role == storage.Assistant && m.Depth > 0
	}}}}
}
