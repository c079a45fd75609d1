package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// Count implements desk.Counter: how many scenes there are, and how many want a recap.
func (r *Room) Count(chat storage.ChatID) (out []desk.Count) {
	if chat == "" {
		return nil
	}
	s, err := r.desk.Engine().Scenes.List(chat)
	if err != nil {
		return nil
	}
	lacking := 0
	for _, sc := range s.List {
		if !sc.Open && sc.Recap.Version == 0 {
			lacking++
		}
	}
	out = append(out, desk.Count{Action: keys.PaneScenes, Words: look.Plural(len(s.List), "scene")})
	if lacking > 0 {
		out = append(out, desk.Count{Action: keys.RecapMissing, Words: look.Plural(lacking, "recap") + " missing"})
	}
	return out
}
