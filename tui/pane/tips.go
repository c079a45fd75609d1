package pane

import (
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Tip is said once, at the moment at which its action may be wanted for the first time,
// and not before it can be done.
type Tip struct {
	Of   keys.Name
	Line string // short enough for the status line; %s in it is how one comes to the action
	tip.Tip
}

// Teacher is a part with tips.
type Teacher interface {
	Tips() []Tip
}
