package desk

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Tip is said once, at the moment at which its action may be wanted for the first time,
// and not before it can be done.
type Tip struct {
	Of   keys.Action
	Line string // short enough for the status line; %s in it is how one comes to the action
	tip.Tip
}

// Teach gives actions their tips.
func Teach(list []Action, tips ...Tip) []Action {
	for _, t := range tips {
		if i := slices.IndexFunc(list, func(a Action) bool { return a.Name == t.Of }); i >= 0 {
			list[i].Tip = &t
		}
	}
	return list
}
