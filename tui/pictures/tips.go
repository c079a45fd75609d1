package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Tips implements pane.TipSource: the tip is due once a picture can be painted and there is
// something to show.
func (r *Part) Tips() []pane.Tip {
	d := r.host
	return []pane.Tip{{Of: keys.Capture, Line: "ComfyUI is online · %s: capture this scene",
		Tip: tip.Tip{ID: "capture", When: func() bool {
			m, ok := d.Play().LastMessage()
			return ok && d.Work().Servers().Comfy.Up && m.Role == storage.Assistant && m.Depth > 0
		}}}}
}
