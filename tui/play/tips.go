package play

import (
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Tips implements pane.TipSource, for the play: after the first reply, and when the window folds.
func (r *Part) Tips() []pane.Tip {
	return []pane.Tip{
		{Of: keys.Regenerate, Line: "%s: regenerate", Tip: tip.Tip{ID: "another-reply", On: func(ev event.Event) bool {
			e, ok := ev.(play.ReplyEnded)
			return ok && e.Err == nil && e.Chat == r.view.Chat.ID
		}}},
		{Of: keys.PanePrompt, Line: "the context is full · %s: what the model sees",
			Tip: tip.Tip{ID: "folded", When: func() bool {
				return r.outlook.chat == r.view.Chat.ID && r.outlook.covered+r.outlook.uncovered > 0
			}}},
	}
}
