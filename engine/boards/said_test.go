package boards_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A wish at one step and a steering line stand in every later request of the scene,
// in the order in which they were said, above what was learnt.
func TestBoard_TheDirectorsWordsStand(t *testing.T) {
	t.Parallel()
	const wish, line, learnt = "Two beats at most, please.", "In this scene I never want close-ups.", "Move closer before an answer"
	s, node := scened(t, enginetest.Answering(map[demo.Job][]any{demo.EditJob: {enginetest.Object{"summary": "All of it slower.",
		"calls": []any{enginetest.Object{"tool": storyboard.ModifyShot, "params": enginetest.Object{"shot": "s1", "seconds": 9}}}}}}))
	scope := s.Chats.ScopeIn(s.Chat)
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		return storage.Tastes.Put(tx, scope, storage.Taste{Scope: scope, UpdatedAt: s.Core().Config.Now(), PreferenceCards: []storage.PreferenceCard{
			{ID: "c1", Preference: learnt, AppliesTo: "confrontations", AvoidApplyingTo: "chases", Confidence: storage.HighConfidence}}})
	}))
	s.plan(node, boards.PlanRequest{Instruction: wish})
	s.script(nil, says("I will keep that in mind."), says("I will keep that in mind."))
	s.steer(node, line)
	before := len(s.chats())
	s.plan(node, boards.PlanRequest{All: true})
	s.script(nil, says("Which one?"))
	s.steer(node, "And the lamp?")
	s.plan(node, boards.PlanRequest{Tool: storyboard.ProposeEdit, Instruction: "slower"})
	_, err := s.Boards.Call(s.Chat, node, storage.ToolCall{Tool: storyboard.ConfirmShots})
	enginetest.Must(t, err)
	_, err = s.Boards.Sketch(s.Chat, node, boards.SketchRequest{})
	enginetest.Must(t, err)
	s.Work()

	jobs := map[demo.Job]int{}
	for _, c := range s.chats()[before:] {
		job := c.Job()
		if job == demo.LessonsJob || job == demo.ProfileJob {
			continue
		}
		jobs[job]++
		said := c.Messages[1].Content // what comes behind it is about an answer
		first, second, cards := strings.Index(said, wish), strings.Index(said, line), strings.Index(said, learnt)
		if first < 0 || second < first {
			t.Errorf("%q is told %d, %d:\n%s", job, first, second, said)
		}
		if cards >= 0 && cards < second {
			t.Errorf("%q is told the learnt card above the director's words", job)
		}
	}
	for _, job := range []demo.Job{demo.FillerJob, demo.BudgetJob, demo.PackageJob, demo.ShotsJob, demo.EditJob, demo.CaptureJob, ""} {
		if jobs[job] == 0 {
			t.Errorf("no request of %q: %v", job, jobs)
		}
	}
}

// What was taken back was not said.
func TestBoard_WordsTakenBack(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	s.script(nil, says("", modify(t, "s1", "the lamp flickers")), says("Done."))
	s.steer(node, "make the lamp flicker")
	_, err := s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	before := len(s.chats())
	s.plan(node, boards.PlanRequest{Tool: storyboard.RecommendBeats})
	for _, c := range s.chats()[before:] {
		if strings.Contains(string(c.Body), "make the lamp flicker") {
			t.Errorf("told: %s", c.Body)
		}
	}
	if len(s.chats()) == before {
		t.Error("nothing was asked")
	}
}
