package tove_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// said are plain lines of a user, one for each reply.
var said = []string{
	"It came with the post. See for yourself.", "It says: come when the lamp is lit.", "I mind the board and follow her.",
	"And what would the fourth line say?", "I look into the envelope once more. It is empty.", "I stay where I am. Lead the way.",
	"I look at the plate.", "It was not me.", "Then we go together.", "It is only wood.", "I take him, then.", "I take her hand.",
	"We stay where we are.", "I write: the house plays on.",
}

// breaks are the numbers of scenes that have ended after each reply.
var breaks = []int{0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3}

// playScript plays all replies on an engine with the settings that it has by itself, and
// calls ended when a scene has ended.
func playScript(t *testing.T, ended ...func(s *enginetest.Harness, scene scenes.Scene)) *enginetest.Harness {
	play := tove.New()
	s := enginetest.NewHarness(t, func(o *enginetest.Setup) {
		scripted := play.Options()
		o.Servers.Script, o.Servers.Scripted = scripted.Script, scripted.Scripted
		o.Cfg.Scenes, o.Cfg.Lore, o.Cfg.Stage = config.Scenes{}, config.Lore{}, config.Stage{}
	})
	if len(said) != tove.Length() {
		t.Fatalf("%d lines for %d replies", len(said), tove.Length())
	}
	for turn, line := range said {
		s.Say(line)
		s.Worked()
		list := sceneList(s)
		if want := breaks[turn]; len(list) != want+1 {
			t.Fatalf("after reply %d there are %d scenes, not %d", turn+1, len(list), want+1)
		}
		for _, f := range ended {
			if turn > 0 && breaks[turn] > breaks[turn-1] {
				f(s, list[len(list)-2])
			}
		}
	}
	return s
}

func sceneList(s *enginetest.Harness) []scenes.Scene {
	s.T.Helper()
	list, err := s.Scenes.List(s.Chat)
	enginetest.Must(s.T, err)
	return list.List
}

// asked counts the requests of each job, and fails the test on one that was made again
// because of a check, or on work that has failed.
func asked(s *enginetest.Harness) map[demo.Job]int {
	s.T.Helper()
	counts := map[demo.Job]int{}
	for _, c := range s.Servers.Calls() {
		if c.Job() == "" {
			continue
		}
		counts[c.Job()]++
		switch last := c.Messages[len(c.Messages)-1].Content; {
		case strings.HasPrefix(last, "This answer cannot be used"), strings.HasPrefix(last, "That answer breaks the rules"):
			s.T.Errorf("%s was asked again: %s", c.Job(), last)
		}
	}
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.All(tx) {
			if op.Status != storage.Completed {
				s.T.Errorf("%s is %s: %s", op.Type, op.Status, op.Error)
			}
		}
		return nil
	}))
	return counts
}

// whole reports whether a text ends as a sentence does.
var whole = regexp.MustCompile(`[.!?]”?$`).MatchString

func TestSession(t *testing.T) {
	s := playScript(t)
	want := map[demo.Job]int{
		demo.AfterTurnJob: 14, demo.SceneJob: 3, demo.RunningJob: 2,
		demo.LookupJob: 4, demo.MergeJob: 1,
	}
	if got := asked(s); !maps.Equal(got, want) {
		t.Errorf("requests: %v, want %v", got, want)
	}
	for i, name := range []string{"A letter on house paper", "Under the stage", "The third board"} {
		if got := sceneList(s)[i]; got.Name != name || got.Recap.Version != 1 {
			t.Errorf("scene %d: %+v", i+1, got)
		}
	}
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, r := range storage.Recaps.All(tx, s.Chat) {
			checkRecap(t, r)
			told, _, _ := strings.Cut(r.Text, "## Tone")
			for line := range strings.Lines(told) {
				bullet, is := strings.CutPrefix(strings.TrimSpace(line), "- ")
				tells := func(s storage.Source) bool { return s.Bullet == bullet }
				if is && !slices.ContainsFunc(r.Sources, tells) {
					t.Errorf("recap %s: no message tells %q", r.SceneName, bullet)
				}
			}
		}
		for _, r := range storage.RunningRecaps.All(tx, s.Chat) {
			checkRecap(t, r)
		}
		entries := 0
		for _, b := range storage.Lorebooks.All(tx) {
			for _, e := range storage.LoreEntries.All(tx, b.ID) {
				entries++
				if head := "[" + e.Type + "-" + e.Name + ": "; !strings.HasPrefix(e.Content, head) || !strings.HasSuffix(e.Content, "]") {
					t.Errorf("entry %s: %s", e.Name, e.Content)
				}
			}
		}
		if entries != 7 {
			t.Errorf("%d entries", entries)
		}
		return nil
	}))
	if v, err := s.Play.Facts(s.Context(), memory.FactQuery{Chat: s.Chat}); err != nil || v.Fault != "" || len(v.Facts) < 40 {
		t.Errorf("%d facts: %s %v", len(v.Facts), v.Fault, err)
	}
	known, err := s.Memory.Memories(memory.Query{Chat: s.Chat, All: true})
	enginetest.Must(t, err)
	for _, m := range known.List {
		if !whole(m.Content) {
			t.Errorf("memory: %q", m.Content)
		}
	}
	hooks, err := s.Memory.Hooks(memory.Query{Chat: s.Chat, All: true})
	enginetest.Must(t, err)
	for _, h := range hooks.List {
		if !whole(h.Content) || !whole(h.Opener) {
			t.Errorf("hook: %q %q", h.Content, h.Opener)
		}
	}
	if len(known.List) != 10 || len(hooks.List) != 3 {
		t.Errorf("%d memories, %d hooks", len(known.List), len(hooks.List))
	}
}

func checkRecap(t *testing.T, r storage.Recap) {
	t.Helper()
	for line := range strings.Lines(r.Text) {
		if bullet, is := strings.CutPrefix(strings.TrimSpace(line), "- "); is && !whole(bullet) {
			t.Errorf("recap %s: %q", r.SceneName, bullet)
		}
	}
}

// What a user asks for by hand after the evening is answered at the first request too.
func TestSession_ByHand(t *testing.T) {
	s := playScript(t)
	done := asked(s)
	captures := []pictures.CaptureRequest{
		{}, {Kind: "video"}, {Requested: "Show me the stage"}, {Kind: "video", Requested: "A film of the lamp"},
	}
	for _, r := range captures {
		c, err := s.Pictures.Capture(s.Chat, r)
		enginetest.Must(t, err)
		s.Worked()
		if c, err = s.Pictures.FindCapture(string(c.ID)); err != nil || len(c.Prompt) < 20 || len(c.Warnings) > 0 {
			t.Errorf("capture %+v: %v %q %q", r, err, c.Prompt, c.Warnings)
		}
	}
	_, err := s.Pictures.CaptureBatch(s.Chat, pictures.BatchRequest{By: storage.ByAngles})
	enginetest.Must(t, err)
	s.Worked()
	_, err = s.Scenes.QueueRecallTest(s.Chat, sceneList(s)[2].Break)
	enginetest.Must(t, err)
	_, err = s.Scenes.RecapMessage(s.Chat, s.Last().ID, scenes.RecapRequest{})
	enginetest.Must(t, err)
	s.Worked()
	if got, err := s.Play.Beats(s.Context(), s.Chat, "", nil); err != nil || len(got) != 3 {
		t.Errorf("proposals: %v %q", err, got)
	}
	answer, err := s.Memory.Answer(s.Context(), memory.Question{Chat: s.Chat, Text: "Who sent the letter?"})
	if err != nil || len(answer.Lines) != 1 {
		t.Errorf("%v %+v", err, answer)
	}
	got := asked(s)
	maps.DeleteFunc(got, func(j demo.Job, n int) bool { return n == done[j] })
	want := map[demo.Job]int{
		demo.CaptureJob: 5, demo.ViewsJob: 1, demo.QuestionsJob: 1, demo.AnswersJob: 1, demo.MarksJob: 1,
		demo.MessageJob: 1, demo.ProposalsJob: 1, demo.AskJob: 1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("requests: %v, want %v", got, want)
	}
}

// Each scene can be planned as a storyboard when it has ended.
func TestSession_Storyboards(t *testing.T) {
	beats, shots := []int{4, 3, 4}, []int{9, 6, 7}
	s := playScript(t, func(s *enginetest.Harness, scene scenes.Scene) {
		n := scene.Number - 1
		for _, r := range []boards.PlanRequest{{All: true}, {Tool: storyboard.ProposeEdit, Instruction: "Longer on this one."}} {
			_, err := s.Boards.Plan(s.Chat, scene.Break, r)
			enginetest.Must(t, err)
			s.Worked()
		}
		_, err := s.Boards.Steer(s.Chat, scene.Break, "Longer on this one, and closer.")
		enginetest.Must(t, err)
		s.Worked()
		b, err := s.Boards.Board(s.Chat, scene.Break)
		enginetest.Must(t, err)
		if len(b.Beats) != beats[n] || len(b.Shots) != shots[n] || len(b.Talk) == 0 {
			t.Errorf("scene %d: %+v", n+1, b.Board)
		}
		for _, x := range b.Shots {
			if !whole(x.Description) {
				t.Errorf("scene %d: %q", n+1, x.Description)
			}
		}
	})
	asked(s)
}

// Every prompt for a picture is one for a film too, and for what a user asks to see.
func TestCaptures_PassTheChecks(t *testing.T) {
	for turn := 1; turn <= tove.Length(); turn++ {
		data, err := os.ReadFile(fmt.Sprintf("answers/capture/%02d.json", turn))
		if err != nil {
			t.Error(err)
			continue
		}
		var a capture.Answer
		enginetest.Must(t, json.Unmarshal(data, &a))
		for _, kind := range []capture.Kind{capture.Image, capture.Video} {
			in := capture.Input{Kind: kind, Character: bundled.Character(), Persona: bundled.Persona()}
			for _, f := range capture.CheckText(in, a.Prompt) {
				t.Errorf("reply %d, %s: %s", turn, kind, f.Message)
			}
		}
	}
}
