package director_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
)

// Where and when a pass sees the scene is what the next one is told.
func TestAfterTurn_SettingThroughAWholePlay(t *testing.T) {
	s := (&stage{enginetest.NewStage(t, directing)})
	settings := []string{"the quay, Thursday evening", "the quay, Friday morning", "the boathouse, Saturday noon"}
	var asked []string
	s.answers(func(c rehearsal.Call) string {
		asked = append(asked, c.Messages[len(c.Messages)-1].Content)
		return fmt.Sprintf(`{"scene":{"rationale":"None.","status":false},"director":{"beat":"talk","setting":%q,"open":"","why":"","tone":"","tension":1,"status":"going","visual_hint":"","visual_type":"none"},"memories":[],"hooks":[],"taken":[]}`,
			settings[min(len(asked), len(settings))-1])
	})
	for i := range 3 {
		s.Say(fmt.Sprintf("I wait, %d.", i))
		s.Worked()
		if i > 1 && !strings.Contains(asked[i], "Scene: "+settings[i-2]) { // before what it is shown
			t.Errorf("pass %d is not told where the scene stood:\n%s", i+1, asked[i])
		}
	}
	s.Sound()
}
