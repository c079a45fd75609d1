package scenes_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// asked collects what is asked about scenes, and answers with a recap of what facts says.
func (s *harness) asked(facts func(subject string) map[string]any) *[]string {
	var out []string
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), `"scene_name"`) || strings.Contains(string(c.Format), `"dropped"`) {
			return demo.Fault{}
		}
		all := ""
		for _, m := range c.Messages {
			all += m.Content + "\n"
		}
		out = append(out, all)
		_, scene, _ := strings.Cut(all, "<transcript>")
		_, subject, _ := strings.Cut(scene, "I ask about the ")
		subject, _, _ = strings.Cut(subject, ",")
		return answer(map[string]any{"scene_name": "About the " + subject, "recap": facts(subject), "atmosphere": "", "emotional_beats": "", "lorebooks": []any{}})
	})
	return &out
}

// alone gives each request a separate prompt, which contains the memory before the scene.
func alone(o *enginetest.Setup) { o.Cfg.Stage.Separate = true }

func inBlock(prompt, tag string) string {
	_, rest, _ := strings.Cut(prompt, "\n<"+tag+">")
	text, _, _ := strings.Cut(rest, "</"+tag+">")
	return text
}

// A scene is recapped with what the play remembered when it began, and with nothing of
// what came after.
func TestRecap_IsShownWhatWasBefore(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, alone)})
	asked := s.asked(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject}, "key_developments": {"The " + subject + " belongs to Clara"}})
	})
	first, second, third := s.Exchange(4, "lamp"), s.Exchange(3, "key"), s.Exchange(3, "boat")
	s.End(first[7])
	s.End(second[5])
	s.End(third[3])
	if got := inBlock((*asked)[0], "earlier"); !strings.Contains(got, "(none)") {
		t.Errorf("before the first scene: %s", got)
	}
	third3 := inBlock((*asked)[2], "earlier")
	for _, want := range []string{"lamp belongs to Clara", "key belongs to Clara", "Tove holds the key"} {
		if strings.Count(third3, want) != 1 {
			t.Errorf("%q stands %d times before the third scene: %s", want, strings.Count(third3, want), third3)
		}
	}
	_, err := s.Scenes.Recap(s.Chat, second[5], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	again := inBlock((*asked)[len(*asked)-1], "earlier")
	if !strings.Contains(again, "lamp belongs to Clara") || strings.Contains(again, "boat") || strings.Contains(again, "key belongs") {
		t.Errorf("before the second scene, made once more: %s", again)
	}
}

// If several scenes wait for their recaps, none is merged yet: their own recaps describe the past.
func TestRecap_IsShownScenesThatAreNotMergedYet(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, alone)})
	asked := s.asked(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject}, "key_developments": {"The " + subject + " belongs to Clara"}})
	})
	for _, subject := range []string{"lamp", "key", "boat"} {
		a := s.Exchange(3, subject)
		_, err := s.Scenes.SetBreak(s.Chat, a[len(a)-1], true)
		enginetest.Must(t, err)
	}
	_, err := s.Scenes.RecapMissing(s.Chat)
	enginetest.Must(t, err)
	s.Work()
	if got := inBlock((*asked)[2], "earlier"); !strings.Contains(got, "lamp belongs to Clara") || !strings.Contains(got, "key belongs to Clara") {
		t.Errorf("before the third scene: %s", got)
	}
}

// The past is cut to the situation and the newest of the rest if the scene needs the room.
func TestRecap_ALongPastLeavesRoomForTheScene(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(8640)
	many := strings.Repeat("and told it at great length to everybody who would listen to her in the harbour ", 3)
	asked := s.asked(func(subject string) map[string]any {
		var list []string
		for i := range 9 {
			list = append(list, kept(i)+" "+many)
		}
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject + " of Marguerite"}, "key_developments": list})
	})
	s.End(s.Exchange(3, "lamp")[3])
	a := s.long(14)
	s.End(a[9])
	got := inBlock((*asked)[len(*asked)-1], "earlier")
	if len(*asked) != 2 || !strings.Contains(got, "Tove holds the lamp") || strings.Count(got, many) == 9 {
		t.Errorf("%d requests, before the scene:\n%s", len(*asked), got)
	}
}

// An edited message makes its recap stale. When that is made again, the statements of the old recap
// leave the running recap too, with later scenes or without.
func TestRunning_AnEditReachesTheMemory(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{false, true} {
		s := (&harness{enginetest.NewHarness(t)})
		word := "stolen"
		s.forgetful(func(subject string) map[string]any {
			if subject != "key" {
				return told(map[string][]string{"current_situation": {"It is the day of the " + subject}, "key_developments": {"The " + subject + " was bought"}})
			}
			return told(map[string][]string{"current_situation": {"It is the day of the key"}, "key_developments": {"The key was " + word}})
		}, func(demo.Call) any { return nil })
		s.End(s.Exchange(4, "lamp")[7])
		second := s.Exchange(3, "key")
		s.End(second[5])
		if later {
			s.End(s.Exchange(3, "boat")[5])
			s.End(s.Exchange(3, "rope")[5])
		}
		enginetest.Must(t, s.Chats.Edit(s.Chat, second[1], "*Tove mends the key.*"))
		if !s.recapOf(second[5]).Version().Stale || !s.scenesNow().Running.Stale {
			t.Fatal("nothing is stale")
		}
		word = "mended"
		_, err := s.Scenes.RecapMissing(s.Chat)
		enginetest.Must(t, err)
		s.Work()
		text := s.RunningNow().Version().Text
		if strings.Contains(text, "stolen") || !strings.Contains(text, "mended") || !strings.Contains(text, "lamp was bought") || later && !strings.Contains(text, "rope was bought") {
			t.Errorf("later scenes %v:\n%s", later, text)
		}
		if s.scenesNow().Running.Stale {
			t.Error("the running recap is stale still")
		}
		s.Sound()
	}
}

// over ends a line of the recaps at a message.
func (s *harness) over(node storage.NodeID, line string, how storage.EndKind) {
	s.T.Helper()
	mention := s.MentionAt(s.Chat, node)
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		return scenes.PutStatementEnds(tx, s.Chat, append(scenes.StatementEnds(tx, s.Chat), storage.StatementEnd{Text: line, End: storage.End{Mention: mention, Kind: how}}))
	}))
}

// Facts that ended before a scene are not part of its past; facts that end in the scene are, and
// are marked.
func TestRecap_IsShownNothingThatHasEnded(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Scenes.NoRunning = true }, alone)})
	asked := s.asked(func(subject string) map[string]any {
		return told(map[string][]string{"key_developments": {"Mara broke her hand at the " + subject, "The " + subject + " belongs to Clara", "Robin owes ten coins for the " + subject}})
	})
	first, second, third := s.Exchange(3, "lamp"), s.Exchange(3, "key"), s.Exchange(3, "boat")
	s.End(first[5])
	s.over(second[1], "Mara broke her hand at the lamp", storage.Settled)
	s.End(second[5])
	s.over(third[1], "Robin owes ten coins for the key", storage.Settled)
	s.over(third[1], "The key belongs to Clara", storage.Corrected)
	s.End(third[5])
	last := inBlock((*asked)[2], "earlier")
	for line, want := range map[string]string{"Mara broke her hand at the lamp": "", "Robin owes ten coins for the key": "Robin owes ten coins for the key (over)\n", "The key belongs to Clara": "",
		"Robin owes ten coins for the lamp": "Robin owes ten coins for the lamp\n", "Mara broke her hand at the key": "Mara broke her hand at the key\n"} {
		if want == "" && strings.Contains(last, line) || !strings.Contains(last+"\n", want) {
			t.Errorf("%q is shown as %q:\n%s", line, want, last)
		}
	}
	if got := inBlock((*asked)[1], "earlier"); !strings.Contains(got, "Mara broke her hand at the lamp (over)") {
		t.Errorf("before the scene in which it ends:\n%s", got)
	}
}

// A recall test is shown what has ended as such, and has nothing of it to answer from.
func TestRecallTest_KnowsWhatHasEnded(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Scenes.NoRunning = true })})
	s.asked(func(subject string) map[string]any {
		return told(map[string][]string{"key_developments": {"Mara broke her hand at the " + subject, "The " + subject + " belongs to Clara"}})
	})
	a := s.Exchange(3, "lamp")
	s.End(a[5])
	b := s.Exchange(1, "key")
	s.over(b[1], "Mara broke her hand at the lamp", storage.Settled)
	var prompts []string
	s.SpoilBy(func(c demo.Call) demo.Fault {
		all := ""
		for _, m := range c.Messages {
			all += m.Content + "\n"
		}
		switch form := string(c.Format); {
		case strings.Contains(form, `"questions"`):
			prompts = append(prompts, all)
			return answer(map[string]any{"questions": []any{
				map[string]any{"question": "What did Mara break at the lamp?", "answer": "her hand", "messages": []int{1}},
				map[string]any{"question": "Whom did the lamp in the tower belong to before?", "answer": "the brother", "messages": []int{2}}}})
		case strings.Contains(form, `"answers"`):
			prompts = append(prompts, all)
			return answer(map[string]any{"answers": []any{map[string]any{"number": 1, "answer": "not known"}, map[string]any{"number": 2, "answer": "not known"}}})
		}
		return demo.Fault{}
	})
	_, err := s.Scenes.QueueRecallTest(s.Chat, a[5])
	enginetest.Must(t, err)
	s.Work()
	if len(prompts) != 2 || !strings.Contains(prompts[0], "Mara broke her hand at the lamp (over)") || strings.Contains(prompts[1], "hand") || !strings.Contains(prompts[1], "belongs to Clara") {
		t.Errorf("%q", prompts)
	}
	if x := s.recapOf(a[5]).Version().RecallTest; x == nil || len(x.Questions) != 2 {
		t.Errorf("%+v", x)
	}
}

// Of a play that was never cut into scenes no prompt is written that no context can hold.
func TestRecap_AVastSceneIsNotWrittenOut(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	j := models.Job{Known: s.Models.NewKnownModel(demo.Model), Options: ollama.Options{NumCtx: 8192, NumPredict: 2048}}
	vast := func(n int) (in scene.Input) {
		for i := range n {
			in.Messages = append(in.Messages, scene.Message{ID: storage.NodeID(strconv.Itoa(i)), Role: storage.User, Text: strings.Repeat("They walk on. ", 4)})
		}
		return in
	}
	whole := func(in scene.Input, inputs string) (fits bool, key string, bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fits, key = scenes.Look(j, in, inputs)
		runtime.ReadMemStats(&after)
		return fits, key, after.TotalAlloc - before.TotalAlloc
	}
	all := vast(100_000)
	fits, one, bytes := whole(all, "one")
	_, same, _ := whole(all, "one")
	_, other, _ := whole(all, "other")
	if fits || bytes > 4<<20 || one != same || one == other {
		t.Errorf("fits: %v; %d KiB to find out; keys %s, %s, %s", fits, bytes>>10, one, same, other)
	}
	if fits, _, _ := whole(vast(20), "short"); !fits {
		t.Error("a short scene does not fit")
	}
}
