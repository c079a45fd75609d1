package director

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Every field of an episode but those that are the engine's has its place in the
// form.
func TestEpisode_FormKnowsEveryField(t *testing.T) {
	five := 5
	full := storage.Episode{Number: 2, Title: "a", Situation: "b", Frame: "c", Question: "d", Resolutions: storage.Resolutions, Objective: "e", Obstacle: "f", Tactic: "g",
		Genre: "h", Opening: "i", TurnBudget: 3, SceneMode: storage.ScenesRhythmic, SceneInterval: 4, SceneCost: &five}
	sty := &draw.Styles{}
	var got storage.Episode
	for _, sp := range episodeSpecs(false) {
		change, err := sp.take(sp.make(sty, &full))
		if err != nil {
			t.Fatalf("%s: %v", sp.label, err)
		}
		change(&got)
	}
	if diff := cmp.Diff(full, got); diff != "" {
		t.Error(diff)
	}
}
