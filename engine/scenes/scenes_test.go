package scenes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func (s *harness) scenesNow() scenes.Scenes {
	s.T.Helper()
	v, err := s.Scenes.List(s.Chat)
	enginetest.Must(s.T, err)
	return v
}

func (s *harness) recapOf(node storage.NodeID) scenes.RecapView {
	s.T.Helper()
	v, err := s.Scenes.SceneRecap(s.Chat, node)
	enginetest.Must(s.T, err)
	return v
}

func brief(v scenes.Scenes) string {
	var b strings.Builder
	for _, s := range v.List {
		fmt.Fprintf(&b, "%d:%d", s.Number, s.Messages)
		if s.Recap.Versions > 0 {
			fmt.Fprintf(&b, " v%d/%d", s.Recap.Version, s.Recap.Versions)
		}
		for word, on := range map[string]bool{" stale": s.Recap.Stale} {
			if on {
				b.WriteString(word)
			}
		}
		if s.InMemory {
			b.WriteString(" in memory")
		}
		if s.Open {
			b.WriteString(" open")
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func (s *harness) scenesAre(want string) {
	s.T.Helper()
	if got := brief(s.scenesNow()); got != want {
		s.T.Errorf("scenes:\n got %s\nwant %s", got, want)
	}
}

func TestBreaks_BranchesShareTheScenesBeforeTheFork(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	_, err := s.Scenes.ToggleBreak(s.Chat, a[3])
	enginetest.Must(t, err)
	_, err = s.Scenes.ToggleBreak(s.Chat, a[5])
	enginetest.Must(t, err)
	s.scenesAre("1:5; 2:2; 3:2 open")
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[4]))
	s.Exchange(2, "key")
	s.scenesAre("1:5; 2:5 open")
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[5]))
	s.scenesAre("1:5; 2:2; 3:2 open")
	if on, err := s.Scenes.ToggleBreak(s.Chat, a[3]); on || err != nil {
		t.Error(on, err)
	}
	s.scenesAre("1:7; 2:2 open")
	if _, err := s.Scenes.ToggleBreak(s.Chat, storage.NodeID(storage.NewID())); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a break on nothing: %v", err)
	}
	s.Sound()
}

func TestBreaks_KeepTheirRecapsWhileHidden(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	s.End(a[5])
	s.scenesAre("1:7 v1/1 in memory; 2:2 open")
	_, err := s.Scenes.ToggleBreak(s.Chat, a[5])
	enginetest.Must(t, err)
	s.scenesAre("1:9 open")
	if s.RunningNow().Current != -1 {
		t.Error("the running recap of a hidden break is in force")
	}
	_, err = s.Scenes.ToggleBreak(s.Chat, a[5])
	enginetest.Must(t, err)
	s.scenesAre("1:7 v1/1 in memory; 2:2 open")
}

func TestRecap_KeepsEveryVersion(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	s.End(a[5])
	first := s.recapOf(a[5])
	v := first.Version()
	if v == nil || v.SceneName == "" || len(v.Sources) == 0 || v.Model == "" {
		t.Fatalf("%+v", v)
	}
	for _, src := range v.Sources {
		for _, id := range src.Messages {
			if n := s.Node(id); n.Depth > 6 {
				t.Errorf("%q comes from message %s outside the scene", src.Bullet, id)
			}
		}
	}
	calls := s.AskedFor("scene_name")
	_, err := s.Scenes.Recap(s.Chat, a[5], scenes.RecapRequest{})
	enginetest.Must(t, err)
	s.Work()
	s.scenesAre("1:7 v1/1 in memory; 2:2 open")
	if s.AskedFor("scene_name") != calls {
		t.Error("the same inputs were asked about again")
	}
	_, err = s.Scenes.Recap(s.Chat, a[5], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	s.scenesAre("1:7 v2/2 in memory; 2:2 open")

	text := "## Current Situation\n- Robin holds the lamp.\n"
	id, err := s.Scenes.EditRecap(s.Chat, s.recapOf(a[5]).Version().ID, text)
	enginetest.Must(t, err)
	now := s.recapOf(a[5])
	if len(now.Versions) != 2 || now.Version().ID != id || now.Version().Text != strings.TrimSpace(text) || !now.Version().Edited() {
		t.Errorf("after the edit: %+v", now.Version())
	}
	enginetest.Must(t, s.Scenes.RestoreRecap(s.Chat, id))
	if got := s.recapOf(a[5]).Version(); got.Edited() || !strings.HasPrefix(got.Text, "## Current Situation") || got.Text == strings.TrimSpace(text) {
		t.Errorf("restored: %q", got.Text)
	}
	enginetest.Must(t, s.Scenes.ChooseRecap(s.Chat, v.ID))
	s.scenesAre("1:7 v1/2 in memory; 2:2 open")
	if _, err := s.Scenes.EditRecap(s.Chat, id, " \n"); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("an empty recap: %v", err)
	}
	hits, err := s.Scenes.SearchRecaps(s.Chat, "LAMP", 0)
	if enginetest.Must(t, err); len(hits) == 0 || hits[0].Scene != 1 || hits[0].Version == 0 {
		t.Errorf("hits: %+v", hits)
	}
}

func TestRecap_AnEditWhileItIsMadeIsAVersionOfItsOwn(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	s.End(a[5])
	first := s.recapOf(a[5]).Version()
	_, err := s.Scenes.Recap(s.Chat, a[5], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	own, err := s.Scenes.EditRecap(s.Chat, first.ID, "## Current Situation\n- Mine.")
	enginetest.Must(t, err)
	s.Work()
	v := s.recapOf(a[5])
	if len(v.Versions) != 3 || v.Current != 2 || v.Versions[1].ID != own || v.Versions[1].Origin != storage.Edited ||
		v.Versions[0].Text != first.Text || v.Versions[2].Origin != storage.Generated {
		t.Errorf("%d versions, current %d", len(v.Versions), v.Current)
	}
}

func TestRecap_IsStaleWhenItsMessagesChange(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	s.End(a[3])
	s.End(a[5])
	fresh := "1:5 v1/1 in memory; 2:2 v1/1 in memory; 3:2 open"
	s.scenesAre(fresh)
	old := s.Node(a[1]).Content
	enginetest.Must(t, s.Chats.Edit(s.Chat, a[1], "something else"))
	s.scenesAre("1:5 v1/1 stale in memory; 2:2 v1/1 in memory; 3:2 open")
	if !s.scenesNow().Running.Stale {
		t.Error("the running recap is not stale")
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, a[1], old))
	s.scenesAre(fresh)
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[4], false))
	s.scenesAre("1:5 v1/1 in memory; 2:1 v1/1 stale in memory; 3:2 open")
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.scenesAre(fresh)
	_, err := s.Scenes.ToggleBreak(s.Chat, a[3])
	enginetest.Must(t, err)
	s.scenesAre("1:7 v1/1 stale in memory; 2:2 open")
	n, err := s.Scenes.RecapMissing(s.Chat)
	enginetest.Must(t, err)
	s.Work()
	if n != 1 {
		t.Errorf("%d missing recaps", n)
	}
	s.scenesAre("1:7 v2/2 in memory; 2:2 open")
}

func TestRunning_GrowsWithTheScenes(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	s.End(a[3])
	first := s.RunningNow().Version()
	if first == nil || first.Origin != storage.Copied || first.Text != s.recapOf(a[3]).Version().Text || first.Covers != a[3] {
		t.Fatalf("the first: %+v", first)
	}
	if n := s.AskedFor("bullets"); n != 0 {
		t.Errorf("%d calls for the first", n)
	}
	s.End(a[7])
	v := s.RunningNow()
	if len(v.Versions) != 2 || v.Current != 1 || v.Version().Covers != a[7] || v.Version().Base != first.ID {
		t.Fatalf("%d versions, %+v", len(v.Versions), v.Version())
	}
	if s.scenesNow().Covers != a[7] {
		t.Errorf("covers %s", s.scenesNow().Covers)
	}
	enginetest.Must(t, s.Scenes.ChooseRecap(s.Chat, first.ID))
	if v = s.RunningNow(); v.Current != 0 || s.scenesNow().Covers != a[3] {
		t.Errorf("rolled back to %d", v.Current)
	}
	_, err := s.Scenes.Recap(s.Chat, a[3], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	n, err := s.Scenes.RebuildRunning(s.Chat)
	enginetest.Must(t, err)
	s.Work()
	if v = s.RunningNow(); n != 2 || v.Version().Covers != a[7] || v.Version().Stale {
		t.Errorf("rebuilt of %d: %+v", n, v.Version())
	}
	stale := 0
	for _, old := range v.Versions {
		if old.Stale {
			stale++
		}
	}
	if stale == 0 {
		t.Error("no version before is stale")
	}
}

func TestRunning_BelongsToItsPlaceInTheTree(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	s.End(a[3])
	shared := s.RunningNow().Version().ID
	s.End(a[5])
	here := s.RunningNow().Version().ID
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[4]))
	if got := s.RunningNow(); got.Version().ID != shared || len(got.Versions) != 1 {
		t.Errorf("on the branch: %+v", got.Version())
	}
	b := s.Exchange(2, "key")
	s.End(b[3])
	there := s.RunningNow().Version().ID
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[5]))
	if got := s.RunningNow().Version().ID; got != here || got == there {
		t.Errorf("back on the first branch: %s, want %s", got, here)
	}
}

func TestRunning_HoldsTheNewestBack(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Scenes.HoldNewest = true })})
	a := s.Exchange(6, "lamp")
	s.End(a[3])
	s.scenesAre("1:5 v1/1; 2:8 open")
	s.End(a[7])
	s.scenesAre("1:5 v1/1 in memory; 2:4 v1/1; 3:4 open")
	_, err := s.Scenes.MergeRunning(s.Chat, a[7])
	enginetest.Must(t, err)
	s.Work()
	s.scenesAre("1:5 v1/1 in memory; 2:4 v1/1 in memory; 3:4 open")
}

func TestRunning_CoversNothingBeyondAGap(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, noRecaps)})
	a := s.Exchange(6, "lamp")
	_, err := s.Scenes.SetBreak(s.Chat, a[1], true)
	enginetest.Must(t, err)
	s.End(a[5])
	if got := s.RunningNow().Version().Covers; got != "" {
		t.Errorf("covers %s although the first scene has no recap", got)
	}
	_, err = s.Scenes.Recap(s.Chat, a[1], scenes.RecapRequest{})
	enginetest.Must(t, err)
	s.Work()
	if got := s.RunningNow().Version().Covers; got != a[5] {
		t.Errorf("covers %q when the gap is closed, want %s", got, a[5])
	}
}

func TestRunning_AMergeIsInForceAlsoBelowAChosenVersion(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	s.End(a[3])
	first := s.RunningNow().Version().ID
	s.End(a[7])
	s.End(a[9])
	enginetest.Must(t, s.Scenes.ChooseRecap(s.Chat, first))
	_, err := s.Scenes.MergeRunning(s.Chat, a[7])
	enginetest.Must(t, err)
	s.Work()
	if v := s.RunningNow(); v.Current != 3 || v.Version().Base != first {
		t.Errorf("version %d of %d is in force", v.Current+1, len(v.Versions))
	}
}

func TestRunning_ARebuildIsInForceInTheEnd(t *testing.T) {
	for name, meanwhile := range map[string]func(s *harness, a []storage.NodeID){
		"a scene is merged meanwhile": func(s *harness, a []storage.NodeID) {
			_, err := s.Scenes.SetBreak(s.Chat, a[9], true)
			enginetest.Must(s.T, err)
			_, err = s.Scenes.Recap(s.Chat, a[9], scenes.RecapRequest{})
			enginetest.Must(s.T, err)
		},
		"a break is hidden meanwhile": func(s *harness, a []storage.NodeID) {
			_, err := s.Scenes.SetBreak(s.Chat, a[3], false)
			enginetest.Must(s.T, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := (&harness{enginetest.NewHarness(t)})
			a := s.Exchange(6, "lamp")
			s.End(a[1])
			s.End(a[3])
			s.End(a[7])
			_, err := s.Scenes.RebuildRunning(s.Chat)
			enginetest.Must(t, err)
			meanwhile(s, a)
			s.Work()
			v := s.RunningNow()
			if v.Current != len(v.Versions)-1 {
				t.Fatalf("version %d of %d is in force", v.Current+1, len(v.Versions))
			}
			for _, sc := range s.scenesNow().List {
				if !sc.Open && !sc.InMemory {
					t.Errorf("scene %d is not in it", sc.Number)
				}
			}
		})
	}
}

func TestRunning_IsNeverChosenAboveWhatItHolds(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	s.End(a[3])
	s.End(a[7])
	second := s.RunningNow().Version().ID
	_, err := s.Scenes.SetBreak(s.Chat, a[7], false)
	enginetest.Must(t, err)
	if err := s.Scenes.ChooseRecap(s.Chat, second); !errors.Is(err, scenes.ErrNoScene) {
		t.Errorf("chosen although its scene's break is hidden: %v", err)
	}
	if got := s.scenesNow().Covers; got != a[3] {
		t.Errorf("covers %s", got)
	}
}

func TestRunning_CoversAcrossAnEmptiedScene(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	s.End(a[1])
	_, err := s.Scenes.SetBreak(s.Chat, a[3], true)
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[2], false))
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[3], false))
	s.End(a[7])
	if got := s.scenesNow().Covers; got != a[7] {
		t.Errorf("covers %q, want %s", got, a[7])
	}
}

func TestPrompt_StaysCoveredWhenTheScenesLastMessageIsDeleted(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, small)})
	s.folded()
	a := s.scene(2, "bottle")
	s.Tell("I wait for the last time.", "She does not come.")
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[3], false))
	if p := s.next(); p.Covered == 0 || s.scenesNow().Covers != a[2] {
		t.Errorf("covered %d up to %q", p.Covered, s.scenesNow().Covers)
	}
}

func TestScenes_ADamagedRecapStopsNoEdit(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		return storage.Breaks.Put(tx, s.Chat, storage.Break{Node: a[5], Depth: 6, Versions: []storage.RecapID{storage.RecapID(storage.NewID())}})
	}))
	enginetest.Must(t, s.Chats.Edit(s.Chat, a[4], "I ask about something else."))
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[3], false))
	s.scenesNow()
	s.recapOf(a[5])
	s.End(a[5])
}

func TestMemory_ModeScenesAndShort(t *testing.T) {
	for mode, want := range map[config.MemoryMode]bool{config.MemoryScenes: true, config.MemoryShort: false} {
		s := (&harness{enginetest.NewHarness(t, small, func(o *enginetest.Setup) { o.Cfg.Memory.Mode, o.Cfg.Memory.Recent = mode, 1 })})
		for i := range 6 {
			s.scene(5, "lamp")
			s.Say(fmt.Sprintf("I wait for the %d. time.", i))
		}
		v := s.next()
		has := slices.ContainsFunc(v.Parts, func(p prompt.Part) bool { return p.Layer == "memory" && p.Included })
		out := slices.ContainsFunc(v.Parts, func(p prompt.Part) bool {
			return p.Layer == "memory" && !p.Included && strings.Contains(p.Reason, "newest 1")
		})
		if has != want || out != want || (v.Covered > 0) != want {
			t.Errorf("%s: in %t, left out %t, covered %d: %q", mode, has, out, v.Covered, left(v))
		}
	}
}

func TestRecapsExportAndImport(t *testing.T) {
	for _, format := range []string{"json", "markdown"} {
		s := (&harness{enginetest.NewHarness(t)})
		a := s.Exchange(4, "lamp")
		s.End(a[3])
		_, err := s.Scenes.Recap(s.Chat, a[3], scenes.RecapRequest{Force: true})
		enginetest.Must(t, err)
		s.Work()
		data, err := s.Scenes.ExportRecaps(s.Chat, format)
		enginetest.Must(t, err)
		again, err := s.Scenes.ImportRecaps(s.Chat, data)
		enginetest.Must(t, err)
		if again.Versions != 0 {
			t.Errorf("%s: %d versions are new in what was just written", format, again.Versions)
		}
		text := s.recapOf(a[3]).Version().Text
		changed := strings.ReplaceAll(string(data), "brother", "sister")
		got, err := s.Scenes.ImportRecaps(s.Chat, []byte(changed))
		enginetest.Must(t, err)
		now := s.recapOf(a[3])
		if got.Versions == 0 || now.Version().Text == text || now.Version().Origin != storage.Imported {
			t.Errorf("%s: %+v, %q", format, got, now.Version().Text)
		}
		enginetest.Must(t, s.Chats.Edit(s.Chat, a[2], "I ask about the map."))
		if !s.recapOf(a[3]).Version().Stale {
			t.Errorf("%s: the imported version is not stale when its messages have changed", format)
		}
	}
}

func TestRecallTestAndRepair(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	s.End(a[5])
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if strings.Contains(string(c.Format), `"answers"`) {
			return demo.Fault{Kind: demo.Say, Text: `{"answers":[{"number":1,"answer":"unknown"}]}`}
		}
		if c.Job() == demo.MarksJob {
			return demo.Fault{Kind: demo.Say, Text: `{"marks":[{"number":1,"right":false}]}`}
		}
		return demo.Fault{}
	})
	_, err := s.Scenes.QueueRecallTest(s.Chat, a[5])
	enginetest.Must(t, err)
	s.Work()
	s.SpoilBy(nil)
	test := s.recapOf(a[5]).Version().RecallTest
	if test == nil || len(test.Questions) == 0 || len(test.Lost()) != len(test.Questions) {
		t.Fatalf("%+v", test)
	}
	_, err = s.Scenes.RepairRecap(s.Chat, a[5])
	enginetest.Must(t, err)
	s.Work()
	v := s.recapOf(a[5])
	if len(v.Versions) != 2 || !strings.Contains(v.Version().Instruction, test.Lost()[0].Expected) {
		t.Errorf("%d versions, instruction %q", len(v.Versions), v.Version().Instruction)
	}
}

func TestJoinScenesAndMessageRecap(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	s.End(a[3])
	s.End(a[7])
	enginetest.Must(t, s.Scenes.Join(s.Chat, a[3], a[7]))
	s.Work()
	s.scenesAre("1:9 v2/2 in memory; 2:4 open")
	_, err := s.Scenes.RecapMessage(s.Chat, a[9], scenes.RecapRequest{})
	enginetest.Must(t, err)
	s.Work()
	v, err := s.Scenes.MessageRecap(s.Chat, a[9])
	if enginetest.Must(t, err); v.Version() == nil || v.Version().Text == "" || v.Version().Stale {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, a[9], "other words"))
	if v, _ = s.Scenes.MessageRecap(s.Chat, a[9]); !v.Version().Stale {
		t.Error("the recap of an edited message is not stale")
	}
}

func TestReusedAnswerIsSaid(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	enginetest.Must(t, s.Start())
	a := s.Exchange(4, "lamp")
	_, err := s.Scenes.SetBreak(s.Chat, a[5], true)
	enginetest.Must(t, err)
	for range 2 {
		_, err = s.Scenes.Recap(s.Chat, a[5], scenes.RecapRequest{})
		enginetest.Must(t, err)
		enginetest.Until(s.Harness, func(ev queue.Changed) bool {
			return ev.Operation.Type == scenes.OpRecap && ev.Operation.Status == storage.Completed
		})
	}
	said := slices.ContainsFunc(s.Seen, func(ev event.Event) bool {
		n, ok := ev.(event.Notice)
		return ok && n.Text == scenes.ReusedWords("recap")
	})
	if !said {
		t.Error("nobody was told")
	}
}

func answer(v any) demo.Fault {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return demo.Fault{Kind: demo.Say, Text: string(data)}
}

// The statements of a scene's old recap must not stay in the running recap beside those of the new
// one.
func TestRunning_ASceneToldAgainTakesItsOldPlace(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	s.End(a[3])
	s.End(a[7])
	v := s.RunningNow()
	first, second := v.Versions[0], v.Versions[1]
	_, err := s.Scenes.Recap(s.Chat, a[7], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	now := s.RunningNow().Version()
	if now.Base != first.ID || now.Covers != a[7] || now.Scenes != 2 || now.Stale {
		t.Errorf("grew out of %s (first %s, second %s), covers %s, %d scenes, stale %t", now.Base, first.ID, second.ID, now.Covers, now.Scenes, now.Stale)
	}
	_, err = s.Scenes.EditRecap(s.Chat, now.ID, "## Current Situation\n- Mended by hand.")
	enginetest.Must(t, err)
	_, err = s.Scenes.Recap(s.Chat, a[7], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	if next := s.RunningNow().Version(); next.Base != now.ID {
		t.Errorf("what the user edited was passed over: grew out of %s", next.Base)
	}
}

// A version that cannot be read must not cost what grew out of it.
func TestRunning_KeepsWhatGrewOutOfALostVersion(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	s.End(a[3])
	s.End(a[7])
	v := s.RunningNow()
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.RunningRecaps.Delete(tx, s.Chat, v.Versions[0].ID) }))
	_, err := s.Scenes.Recap(s.Chat, a[7], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	if now := s.RunningNow().Version(); now.Base != v.Versions[1].ID || now.Origin != storage.Generated {
		t.Errorf("grew out of %q as %s", now.Base, now.Origin)
	}
}
