package director_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
)

// The next pass gets the setting that the last one found. Its time is the time of the story, and
// hooks that are due by that time are due.
func TestAfterTurn_TimeAndSettingThroughAWholePlay(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing)})
	settings := []string{"the quay", "the boathouse", "the mill", "the mill"}
	days := []string{"Thursday", "Friday", "Saturday", "Saturday"}
	number := regexp.MustCompile(`(?m)^(\d+)\. Tove meets Clara`)
	var asked []string
	s.answers(func(c demo.Call) string {
		asked = append(asked, c.Messages[len(c.Messages)-1].Content)
		at := min(len(asked), len(days)) - 1
		hooks, due := `[]`, `[]`
		switch at {
		case 0:
			hooks = `[{"from":[1],"type":"follow_up","content":"Tove meets Clara at the boathouse","opener":"Clara is late.","when":"Saturday","priority":4}]`
		case 2:
			if m := number.FindStringSubmatch(asked[at]); m != nil {
				due = "[" + m[1] + "]"
			} else {
				t.Errorf("the hook is not listed:\n%s", asked[at])
			}
		}
		return fmt.Sprintf(`{"scene":{"rationale":"None.","status":false},"director":{"beat":"talk","setting":%q,"open":"","why":"","tone":"","tension":1,`+
			`"status":"going","visual_hint":"","visual_type":"none"},"memories":[],"hooks":%s,"taken":[],"outdated":[],"settled":[],"due":%s,`+
			`"when":{"day":%q,"time":"noon","days":%d}}`, settings[at], hooks, due, days[at], min(at, 1))
	})
	state := func() memory.HookView {
		t.Helper()
		h, err := s.Memory.Hooks(memory.Query{Chat: s.Chat})
		enginetest.Must(t, err)
		if len(h.List) != 1 {
			t.Fatalf("hooks: %+v", h.List)
		}
		return h.List[0]
	}
	for i := range 3 {
		s.Say(fmt.Sprintf("I wait, %d.", i))
		s.Worked()
		v, err := s.Scenes.Clock(s.Chat)
		enginetest.Must(t, err)
		if v.Text != days[i]+", noon" || v.Passed != i {
			t.Errorf("after pass %d it is %+v", i+1, v)
		}
		if h := state(); h.Due.When != "Saturday" || (h.State == memory.HookDue) != (i == 2) {
			t.Errorf("after pass %d the hook is %s (%s)", i+1, h.State, h.When)
		}
		if i > 0 && !strings.Contains(asked[i], settings[i-1]) {
			t.Errorf("pass %d is not told where the scene stood:\n%s", i+1, asked[i])
		}
	}
	last := s.Say("I open the door.")
	if sent := s.Sent(); !strings.Contains(sent, "To bring up when it fits") {
		t.Error("what is due by the story's time is not told")
	}
	s.Worked()
	// The reply that mentioned Saturday is swiped away, so it is no longer Saturday.
	s.Sibling(s.Node(s.Node(last.UserMessage).Parent).ID, "*Tove shrugs.*")
	if v, err := s.Scenes.Clock(s.Chat); err != nil || v.Text != "Friday, noon" {
		t.Errorf("it is %q, %v", v.Text, err)
	}
	if h := state(); h.State == memory.HookDue {
		t.Errorf("the hook is still due")
	}
	s.Sound()
}
