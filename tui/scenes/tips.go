package scenes

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Tips implements pane.TipSource, for scenes: when the first one ends.
func (r *Part) Tips() []pane.Tip {
	d := r.host
	return []pane.Tip{{Of: keys.PaneScenes, Line: "a scene has ended · %s: scenes and recaps", Tip: tip.Tip{
		ID: "scenes",
		On: func(ev event.Event) bool {
			e, ok := ev.(scenes.Changed)
			return ok && e.Chat == d.Play().Chat().Chat.ID
		},
		Look: func(chat storage.ChatID) bool {
			s, err := d.Engine().Scenes.List(chat)
			return err == nil && slices.ContainsFunc(s.List, func(s scenes.Scene) bool { return !s.Open })
		},
	}}}
}
