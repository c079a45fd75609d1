package director_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
)

// Where and when a pass sees the scene is what the next one is told, moves the time of the
// story, and lets fall due by it what a pass before has put off to a day.
func TestAfterTurn_TimeAndSettingThroughAWholePlay(t *testing.T) {
	s := (&stage{enginetest.NewStage(t, directing)})
	settings := []string{"the quay, Thursday evening", "the quay, Friday morning", "the boathouse, Saturday noon", "the boathouse, Saturday noon"}
	var asked []string
	s.answers(func(c rehearsal.Call) string {
		asked = append(asked, c.Messages[len(c.Messages)-1].Content)
		hooks := `[]`
		if len(asked) == 1 {
			hooks = `[{"type":"follow_up","content":"Tove meets Clara at the boathouse","opener":"Clara is late.","when":"Saturday","priority":4}]`
		}
		return fmt.Sprintf(`{"scene":{"rationale":"None.","status":false},"director":{"beat":"talk","setting":%q,"open":"","why":"","tone":"","tension":1,"status":"going","visual_hint":"","visual_type":"none"},"memories":[],"hooks":%s,"taken":[]}`,
			settings[min(len(asked), len(settings))-1], hooks)
	})
	state := func() memory.HookView {
		t.Helper()
		h, err := s.Memory.Hooks(memory.Ask{Chat: s.Chat})
		enginetest.Must(t, err)
		if len(h.List) != 1 {
			t.Fatalf("hooks: %+v", h.List)
		}
		return h.List[0]
	}
	for i, want := range []string{"Thu, evening", "Fri, morning", "Sat, noon"} {
		s.Say(fmt.Sprintf("I wait, %d.", i))
		s.Worked()
		v, err := s.Scenes.Clock(s.Chat)
		enginetest.Must(t, err)
		if v.Words != want {
			t.Errorf("after pass %d it is %q, want %q", i+1, v.Words, want)
		}
		if h := state(); h.Due.When != "Saturday" || (h.State == memory.HookDue) != (i == 2) {
			t.Errorf("after pass %d the hook is %s (%s)", i+1, h.State, h.When)
		}
		if i > 1 && !strings.Contains(asked[i], "Scene: "+settings[i-2]) { // before what it is shown
			t.Errorf("pass %d is not told where the scene stood:\n%s", i+1, asked[i])
		}
	}
	last := s.Say("I open the door.")
	if sent := s.Sent(); !strings.Contains(sent, "To bring up when it fits") {
		t.Error("what is due by the story's time is not told")
	}
	s.Worked()
	// The reply that told of Saturday is swiped away, and with it that it is Saturday.
	s.Sibling(s.Node(s.Node(last.UserMessage).Parent).ID, "*Tove shrugs.*")
	if v, err := s.Scenes.Clock(s.Chat); err != nil || v.Words != "Fri, morning" {
		t.Errorf("it is %q, %v", v.Words, err)
	}
	if h := state(); h.State == memory.HookDue {
		t.Errorf("the hook is still due")
	}
	s.Sound()
}
