package library

import (
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Tips implements pane.TipSource: the tip is due with the first branch.
func (r *Part) Tips() []pane.Tip {
	d := r.host
	return []pane.Tip{{Of: keys.PaneBranches, Line: "the old branch is kept · %s: branch map",
		Tip: tip.Tip{ID: "branches", When: func() bool { return d.Play().Chat().Fork }}}}
}
