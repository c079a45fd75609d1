package pane

import (
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Tip is shown once, when its action may first be useful, and not before the action is available.
type Tip struct {
	Of   keys.Name
	Line string // short enough for the status line; %s is replaced by the keys of the action
	tip.Tip
}

// TipSource is a part with tips.
type TipSource interface {
	Tips() []Tip
}
