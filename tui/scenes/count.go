package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Count implements pane.Counter: how many scenes there are, and how many want a recap.
func (r *Part) Count(chat storage.ChatID) (out []pane.Count) {
	if chat == "" {
		return nil
	}
	s, err := r.host.Engine().Scenes.List(chat)
	if err != nil {
		return nil
	}
	lacking := 0
	for _, sc := range s.List {
		if !sc.Open && sc.Recap.Version == 0 {
			lacking++
		}
	}
	out = append(out, pane.Count{Action: keys.PaneScenes, Text: draw.Plural(len(s.List), "scene")})
	if lacking > 0 {
		out = append(out, pane.Count{Action: keys.RecapMissing, Text: draw.Plural(lacking, "recap") + " missing"})
	}
	return out
}
