package library

import (
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Tips implements desk.Teacher, for the library: when the first branch begins.
func (r *Room) Tips() []desk.Tip {
	d := r.desk
	return []desk.Tip{{Of: keys.PaneBranches, Line: "the old branch is kept · %s: branch map",
		Tip: tip.Tip{ID: "branches", When: func() bool { return d.Play().Chat().Fork }}}}
}
