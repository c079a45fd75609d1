package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/play/script"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// tell puts messages at the end of the chat without asking anybody, user and
// character in turn, and returns their ids.
func (s *stage) tell(texts ...string) []storage.NodeID {
	s.t.Helper()
	var ids []storage.NodeID
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.chat)
		if err != nil {
			return err
		}
		for i, text := range texts {
			n := storage.Node{Chat: s.chat, Parent: c.Head, Role: storage.User, Name: "Robin", Content: text, State: storage.Complete, CreatedAt: time.Now()}
			if i%2 == 1 {
				n.Role, n.Name = storage.Assistant, "Tove"
			}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			c.Head = n.ID
			ids = append(ids, n.ID)
		}
		return storage.Chats.Put(tx, s.chat, c)
	}))
	s.emit(ChatChanged{s.chat})
	return ids
}

// exchange tells n numbered exchanges about a subject.
func (s *stage) exchange(n int, subject string) []storage.NodeID {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("I ask about the %s, question number %d.", subject, i),
			fmt.Sprintf("*Tove turns the %s over.* \"It belonged to my brother, and that was winter %d.\"", subject, i))
	}
	return s.tell(texts...)
}

// work works the queue off.
func (s *stage) work() {
	s.t.Helper()
	if _, err := s.QueueDrain(s.context()); err != nil {
		ops, _ := s.Operations()
		for _, op := range ops {
			if op.Error != "" {
				s.t.Logf("%s %s: %s", op.Type, op.Status, op.Error)
			}
		}
		s.t.Fatal(err)
	}
}

func (s *stage) scenesNow() Scenes {
	s.t.Helper()
	v, err := s.Scenes(s.chat)
	must(s.t, err)
	return v
}

func (s *stage) recapOf(node storage.NodeID) RecapView {
	s.t.Helper()
	v, err := s.SceneRecap(s.chat, node)
	must(s.t, err)
	return v
}

func (s *stage) runningNow() RecapView {
	s.t.Helper()
	v, err := s.RunningRecap(s.chat)
	must(s.t, err)
	return v
}

// end ends a scene and has it told again.
func (s *stage) end(node storage.NodeID) {
	s.t.Helper()
	_, err := s.SetBreak(s.chat, node, true)
	must(s.t, err)
	_, err = s.RecapScene(s.chat, node, RecapRequest{})
	must(s.t, err)
	s.work()
}

// askedFor counts the requests for text whose schema has a property.
func (s *stage) askedFor(property string) (n int) {
	for _, c := range s.house.Calls() {
		if c.Path == "/api/chat" && strings.Contains(string(c.Format), `"`+property+`"`) {
			n++
		}
	}
	return n
}

func brief(v Scenes) string {
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

func (s *stage) scenesAre(want string) {
	s.t.Helper()
	if got := brief(s.scenesNow()); got != want {
		s.t.Errorf("scenes:\n got %s\nwant %s", got, want)
	}
}

func TestBreaks_BranchesShareTheScenesBeforeTheFork(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	_, err := s.ToggleBreak(s.chat, a[3])
	must(t, err)
	_, err = s.ToggleBreak(s.chat, a[5])
	must(t, err)
	s.scenesAre("1:5; 2:2; 3:2 open")
	must(t, s.Branch(s.chat, a[4]))
	s.exchange(2, "key")
	s.scenesAre("1:5; 2:5 open")
	must(t, s.Goto(s.chat, a[5]))
	s.scenesAre("1:5; 2:2; 3:2 open")
	if on, err := s.ToggleBreak(s.chat, a[3]); on || err != nil {
		t.Error(on, err)
	}
	s.scenesAre("1:7; 2:2 open")
	if _, err := s.ToggleBreak(s.chat, storage.NodeID(storage.NewID())); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a break on nothing: %v", err)
	}
	s.sound()
}

func TestBreaks_KeepTheirRecapsWhileHidden(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	s.end(a[5])
	s.scenesAre("1:7 v1/1 in memory; 2:2 open")
	_, err := s.ToggleBreak(s.chat, a[5])
	must(t, err)
	s.scenesAre("1:9 open")
	if s.runningNow().Current != -1 {
		t.Error("the running recap of a hidden break is in force")
	}
	_, err = s.ToggleBreak(s.chat, a[5])
	must(t, err)
	s.scenesAre("1:7 v1/1 in memory; 2:2 open")
}

func TestRecap_KeepsEveryVersion(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	s.end(a[5])
	first := s.recapOf(a[5])
	v := first.Version()
	if v == nil || v.SceneName == "" || len(v.Sources) == 0 || v.Model == "" {
		t.Fatalf("%+v", v)
	}
	for _, src := range v.Sources {
		for _, id := range src.Messages {
			if n := s.node(id); n.Depth > 6 {
				t.Errorf("%q comes from message %s outside the scene", src.Bullet, id)
			}
		}
	}
	calls := s.askedFor("scene_name")
	_, err := s.RecapScene(s.chat, a[5], RecapRequest{})
	must(t, err)
	s.work()
	s.scenesAre("1:7 v1/1 in memory; 2:2 open")
	if s.askedFor("scene_name") != calls {
		t.Error("the same inputs were asked about again")
	}
	_, err = s.RecapScene(s.chat, a[5], RecapRequest{Force: true})
	must(t, err)
	s.work()
	s.scenesAre("1:7 v2/2 in memory; 2:2 open")

	text := "## Current Situation\n- Robin holds the lamp.\n"
	id, err := s.EditRecap(s.chat, s.recapOf(a[5]).Version().ID, text)
	must(t, err)
	now := s.recapOf(a[5])
	if len(now.Versions) != 2 || now.Version().ID != id || now.Version().Text != strings.TrimSpace(text) || !now.Version().Edited() {
		t.Errorf("after the edit: %+v", now.Version())
	}
	must(t, s.RestoreRecap(s.chat, id))
	if got := s.recapOf(a[5]).Version(); got.Edited() || !strings.HasPrefix(got.Text, "## Current Situation") || got.Text == strings.TrimSpace(text) {
		t.Errorf("restored: %q", got.Text)
	}
	must(t, s.ChooseRecap(s.chat, v.ID))
	s.scenesAre("1:7 v1/2 in memory; 2:2 open")
	if _, err := s.EditRecap(s.chat, id, " \n"); !errors.Is(err, ErrNothing) {
		t.Errorf("an empty recap: %v", err)
	}
	hits, err := s.SearchRecaps(s.chat, "LAMP", 0)
	if must(t, err); len(hits) == 0 || hits[0].Scene != 1 || hits[0].Version == 0 {
		t.Errorf("hits: %+v", hits)
	}
}

func TestRecap_AnEditWhileItIsMadeIsAVersionOfItsOwn(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	s.end(a[5])
	first := s.recapOf(a[5]).Version()
	_, err := s.RecapScene(s.chat, a[5], RecapRequest{Force: true})
	must(t, err)
	own, err := s.EditRecap(s.chat, first.ID, "## Current Situation\n- Mine.")
	must(t, err)
	s.work()
	v := s.recapOf(a[5])
	if len(v.Versions) != 3 || v.Current != 2 || v.Versions[1].ID != own || v.Versions[1].Origin != storage.Edited ||
		v.Versions[0].Text != first.Text || v.Versions[2].Origin != storage.Generated {
		t.Errorf("%d versions, current %d", len(v.Versions), v.Current)
	}
}

func TestRecap_IsStaleWhenItsMessagesChange(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	s.end(a[3])
	s.end(a[5])
	fresh := "1:5 v1/1 in memory; 2:2 v1/1 in memory; 3:2 open"
	s.scenesAre(fresh)
	old := s.node(a[1]).Content
	must(t, s.Edit(s.chat, a[1], "something else"))
	s.scenesAre("1:5 v1/1 stale in memory; 2:2 v1/1 in memory; 3:2 open")
	if !s.scenesNow().Running.Stale {
		t.Error("the running recap is not stale")
	}
	must(t, s.Edit(s.chat, a[1], old))
	s.scenesAre(fresh)
	must(t, s.Delete(s.chat, a[4], false))
	s.scenesAre("1:5 v1/1 in memory; 2:1 v1/1 stale in memory; 3:2 open")
	must(t, s.Undo(s.chat))
	s.scenesAre(fresh)
	_, err := s.ToggleBreak(s.chat, a[3])
	must(t, err)
	s.scenesAre("1:7 v1/1 stale in memory; 2:2 open")
	n, err := s.RecapMissing(s.chat)
	must(t, err)
	s.work()
	if n != 1 {
		t.Errorf("%d missing recaps", n)
	}
	s.scenesAre("1:7 v2/2 in memory; 2:2 open")
}

func TestRunning_GrowsWithTheScenes(t *testing.T) {
	s := newStage(t)
	a := s.exchange(6, "lamp")
	s.end(a[3])
	first := s.runningNow().Version()
	if first == nil || first.Origin != storage.Copied || first.Text != s.recapOf(a[3]).Version().Text || first.Covers != a[3] {
		t.Fatalf("the first: %+v", first)
	}
	if n := s.askedFor("bullets"); n != 0 {
		t.Errorf("%d calls for the first", n)
	}
	s.end(a[7])
	v := s.runningNow()
	if len(v.Versions) != 2 || v.Current != 1 || v.Version().Covers != a[7] || v.Version().Base != first.ID {
		t.Fatalf("%d versions, %+v", len(v.Versions), v.Version())
	}
	if s.scenesNow().Covers != a[7] {
		t.Errorf("covers %s", s.scenesNow().Covers)
	}
	must(t, s.ChooseRecap(s.chat, first.ID))
	if v = s.runningNow(); v.Current != 0 || s.scenesNow().Covers != a[3] {
		t.Errorf("rolled back to %d", v.Current)
	}
	_, err := s.RecapScene(s.chat, a[3], RecapRequest{Force: true})
	must(t, err)
	s.work()
	n, err := s.RebuildRunning(s.chat)
	must(t, err)
	s.work()
	if v = s.runningNow(); n != 2 || v.Version().Covers != a[7] || v.Version().Stale {
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
	s := newStage(t)
	a := s.exchange(4, "lamp")
	s.end(a[3])
	shared := s.runningNow().Version().ID
	s.end(a[5])
	here := s.runningNow().Version().ID
	must(t, s.Branch(s.chat, a[4]))
	if got := s.runningNow(); got.Version().ID != shared || len(got.Versions) != 1 {
		t.Errorf("on the branch: %+v", got.Version())
	}
	b := s.exchange(2, "key")
	s.end(b[3])
	there := s.runningNow().Version().ID
	must(t, s.Goto(s.chat, a[5]))
	if got := s.runningNow().Version().ID; got != here || got == there {
		t.Errorf("back on the first branch: %s, want %s", got, here)
	}
}

func TestRunning_HoldsTheNewestBack(t *testing.T) {
	s := newStage(t, func(o *setup) { o.cfg.Scenes.HoldNewest = true })
	a := s.exchange(6, "lamp")
	s.end(a[3])
	s.scenesAre("1:5 v1/1; 2:8 open")
	s.end(a[7])
	s.scenesAre("1:5 v1/1 in memory; 2:4 v1/1; 3:4 open")
	_, err := s.MergeRunning(s.chat, a[7])
	must(t, err)
	s.work()
	s.scenesAre("1:5 v1/1 in memory; 2:4 v1/1 in memory; 3:4 open")
}

func TestRunning_CoversNothingBeyondAGap(t *testing.T) {
	s := newStage(t)
	a := s.exchange(6, "lamp")
	_, err := s.SetBreak(s.chat, a[1], true)
	must(t, err)
	s.end(a[5])
	if got := s.runningNow().Version().Covers; got != "" {
		t.Errorf("covers %s although the first scene has no recap", got)
	}
	_, err = s.RecapScene(s.chat, a[1], RecapRequest{})
	must(t, err)
	s.work()
	if got := s.runningNow().Version().Covers; got != a[5] {
		t.Errorf("covers %q when the gap is closed, want %s", got, a[5])
	}
}

func TestPrompt_CoveredScenesLeaveItInOneStep(t *testing.T) {
	s := newStage(t, func(o *setup) { keep := 2; o.cfg.Memory.Keep = &keep })
	a := s.exchange(6, "lamp")
	before, err := s.Prompt(s.context(), s.chat, "And now?")
	must(t, err)
	s.end(a[7])
	after, err := s.Prompt(s.context(), s.chat, "And now?")
	must(t, err)
	has := func(text string) bool {
		return slices.ContainsFunc(after.Messages, func(m script.Message) bool { return m.Content == text })
	}
	recap := s.runningNow().Version().Text
	if !slices.ContainsFunc(after.Messages, func(m script.Message) bool {
		return strings.Contains(m.Content, "<roleplay_memory>") && strings.Contains(m.Content, recap)
	}) {
		t.Error("the running recap is not in the prompt")
	}
	for i, want := range map[int]bool{0: false, 5: false, 6: true, 7: true, 8: true, 11: true} { // the last two of the scene stay
		if has(s.node(a[i]).Content) != want {
			t.Errorf("message %d is in the prompt: %t", i, !want)
		}
	}
	if after.Covered == 0 || after.Uncovered != 0 || before.Covered != 0 {
		t.Errorf("covered %d, uncovered %d", after.Covered, after.Uncovered)
	}
	s.say("And now?")
	next, err := s.Prompt(s.context(), s.chat, "Go on.")
	must(t, err)
	for i, m := range after.Messages[:len(after.Messages)-2] { // its tail moves on
		if next.Messages[i] != m {
			t.Errorf("message %d of the next prompt has changed", i)
		}
	}
	if i := slices.IndexFunc(next.Ledger, func(p script.Part) bool { return p.Layer == "memory" && p.Included }); i < 0 {
		t.Error("memory is not in the ledger")
	}
	_, err = s.ToggleBreak(s.chat, a[7])
	must(t, err)
	back, err := s.Prompt(s.context(), s.chat, "Go on.")
	if must(t, err); back.Covered != 0 || back.Uncovered != 0 {
		t.Errorf("with the break hidden: covered %d, uncovered %d", back.Covered, back.Uncovered)
	}
}

func TestRunning_AMergeIsInForceAlsoBelowAChosenVersion(t *testing.T) {
	s := newStage(t)
	a := s.exchange(6, "lamp")
	s.end(a[3])
	first := s.runningNow().Version().ID
	s.end(a[7])
	s.end(a[9])
	must(t, s.ChooseRecap(s.chat, first))
	_, err := s.MergeRunning(s.chat, a[7])
	must(t, err)
	s.work()
	if v := s.runningNow(); v.Current != 3 || v.Version().Base != first {
		t.Errorf("version %d of %d is in force", v.Current+1, len(v.Versions))
	}
}

func TestRunning_ARebuildIsInForceInTheEnd(t *testing.T) {
	for name, meanwhile := range map[string]func(s *stage, a []storage.NodeID){
		"a scene is merged meanwhile": func(s *stage, a []storage.NodeID) {
			_, err := s.SetBreak(s.chat, a[9], true)
			must(s.t, err)
			_, err = s.RecapScene(s.chat, a[9], RecapRequest{})
			must(s.t, err)
		},
		"a break is hidden meanwhile": func(s *stage, a []storage.NodeID) {
			_, err := s.SetBreak(s.chat, a[3], false)
			must(s.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			a := s.exchange(6, "lamp")
			s.end(a[1])
			s.end(a[3])
			s.end(a[7])
			_, err := s.RebuildRunning(s.chat)
			must(t, err)
			meanwhile(s, a)
			s.work()
			v := s.runningNow()
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
	s := newStage(t)
	a := s.exchange(6, "lamp")
	s.end(a[3])
	s.end(a[7])
	second := s.runningNow().Version().ID
	_, err := s.SetBreak(s.chat, a[7], false)
	must(t, err)
	if err := s.ChooseRecap(s.chat, second); !errors.Is(err, errNoScene) {
		t.Errorf("chosen although its scene's break is hidden: %v", err)
	}
	if got := s.scenesNow().Covers; got != a[3] {
		t.Errorf("covers %s", got)
	}
}

func TestRunning_CoversAcrossAnEmptiedScene(t *testing.T) {
	s := newStage(t)
	a := s.exchange(6, "lamp")
	s.end(a[1])
	_, err := s.SetBreak(s.chat, a[3], true)
	must(t, err)
	must(t, s.Delete(s.chat, a[2], false))
	must(t, s.Delete(s.chat, a[3], false))
	s.end(a[7])
	if got := s.scenesNow().Covers; got != a[7] {
		t.Errorf("covers %q, want %s", got, a[7])
	}
}

func TestPrompt_StaysCoveredWhenTheScenesLastMessageIsDeleted(t *testing.T) {
	s := newStage(t)
	a := s.exchange(8, "lamp")
	s.end(a[9])
	must(t, s.Delete(s.chat, a[9], false))
	p, err := s.Prompt(s.context(), s.chat, "And now?")
	must(t, err)
	if p.Covered == 0 || s.scenesNow().Covers != a[8] {
		t.Errorf("covered %d up to %q", p.Covered, s.scenesNow().Covers)
	}
}

func TestScenes_ADamagedRecapStopsNoEdit(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	must(t, s.store.Update(func(tx *storage.Tx) error {
		if err := tx.PutSetting(detectedKey(s.chat), "nonsense"); err != nil {
			return err
		}
		return storage.Breaks.Put(tx, s.chat, storage.Break{Node: a[5], Depth: 6, Versions: []storage.RecapID{storage.RecapID(storage.NewID())}})
	}))
	must(t, s.Edit(s.chat, a[4], "I ask about something else."))
	must(t, s.Delete(s.chat, a[3], false))
	s.scenesNow()
	s.recapOf(a[5])
	s.end(a[5])
}

func TestMemory_ModeScenesAndShort(t *testing.T) {
	for mode, want := range map[MemoryMode]bool{MemoryScenes: true, MemoryShort: false} {
		s := newStage(t, func(o *setup) { o.cfg.Memory.Mode, o.cfg.Memory.Recent = mode, 1 })
		a := s.exchange(6, "lamp")
		s.end(a[3])
		s.end(a[7])
		v, err := s.Prompt(s.context(), s.chat, "Go on.")
		must(t, err)
		has := slices.ContainsFunc(v.Ledger, func(p script.Part) bool { return p.Layer == "memory" && p.Included })
		out := slices.ContainsFunc(v.Ledger, func(p script.Part) bool { return p.Layer == "memory" && !p.Included })
		if has != want || out != want || (v.Covered > 0) != want {
			t.Errorf("%s: in %t, left out %t, covered %d", mode, has, out, v.Covered)
		}
	}
}

func TestRecapsExportAndImport(t *testing.T) {
	for _, format := range []string{"json", "markdown"} {
		s := newStage(t)
		a := s.exchange(4, "lamp")
		s.end(a[3])
		_, err := s.RecapScene(s.chat, a[3], RecapRequest{Force: true})
		must(t, err)
		s.work()
		data, err := s.ExportRecaps(s.chat, format)
		must(t, err)
		again, err := s.ImportRecaps(s.chat, data)
		must(t, err)
		if again.Versions != 0 {
			t.Errorf("%s: %d versions are new in what was just written", format, again.Versions)
		}
		text := s.recapOf(a[3]).Version().Text
		changed := strings.ReplaceAll(string(data), "brother", "sister")
		got, err := s.ImportRecaps(s.chat, []byte(changed))
		must(t, err)
		now := s.recapOf(a[3])
		if got.Versions == 0 || now.Version().Text == text || now.Version().Origin != storage.Imported {
			t.Errorf("%s: %+v, %q", format, got, now.Version().Text)
		}
		must(t, s.Edit(s.chat, a[2], "I ask about the map."))
		if !s.recapOf(a[3]).Version().Stale {
			t.Errorf("%s: the imported version is not stale when its messages have changed", format)
		}
	}
}

func TestExamAndRepair(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	s.end(a[5])
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if strings.Contains(string(c.Format), `"answers"`) {
			return rehearsal.Fault{Kind: rehearsal.Say, Text: `{"answers":[{"number":1,"answer":"unknown"}]}`}
		}
		return rehearsal.Fault{}
	})
	_, err := s.Examine(s.chat, a[5])
	must(t, err)
	s.work()
	s.spoilBy(nil)
	exam := s.recapOf(a[5]).Version().Exam
	if exam == nil || len(exam.Questions) == 0 || len(exam.Lost()) != len(exam.Questions) {
		t.Fatalf("%+v", exam)
	}
	_, err = s.RepairRecap(s.chat, a[5])
	must(t, err)
	s.work()
	v := s.recapOf(a[5])
	if len(v.Versions) != 2 || !strings.Contains(v.Version().Instruction, exam.Lost()[0].Expected) {
		t.Errorf("%d versions, instruction %q", len(v.Versions), v.Version().Instruction)
	}
}

func TestJoinScenesAndMessageRecap(t *testing.T) {
	s := newStage(t)
	a := s.exchange(6, "lamp")
	s.end(a[3])
	s.end(a[7])
	must(t, s.JoinScenes(s.chat, a[3], a[7]))
	s.work()
	s.scenesAre("1:9 v2/2 in memory; 2:4 open")
	_, err := s.RecapMessage(s.chat, a[9], RecapRequest{})
	must(t, err)
	s.work()
	v, err := s.MessageRecap(s.chat, a[9])
	if must(t, err); v.Version() == nil || v.Version().Text == "" || v.Version().Stale {
		t.Errorf("%+v", v)
	}
	must(t, s.Edit(s.chat, a[9], "other words"))
	if v, _ = s.MessageRecap(s.chat, a[9]); !v.Version().Stale {
		t.Error("the recap of an edited message is not stale")
	}
}

func TestReusedAnswerIsSaid(t *testing.T) {
	s := newStage(t)
	must(t, s.Start())
	a := s.exchange(4, "lamp")
	_, err := s.SetBreak(s.chat, a[5], true)
	must(t, err)
	for range 2 {
		_, err = s.RecapScene(s.chat, a[5], RecapRequest{})
		must(t, err)
		until(s, func(ev OperationChanged) bool {
			return ev.Operation.Type == opRecap && ev.Operation.Status == storage.Completed
		})
	}
	said := slices.ContainsFunc(s.seen, func(ev Event) bool { n, ok := ev.(Notice); return ok && n.Text == reusedWords("recap") })
	if !said {
		t.Error("nobody was told")
	}
}

func answer(v any) rehearsal.Fault {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return rehearsal.Fault{Kind: rehearsal.Say, Text: string(data)}
}

// What a scene's old recap said must not stay in the running recap beside what
// its new one says.
func TestRunning_ASceneToldAgainTakesItsOldPlace(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(6, "lamp")
	s.end(a[3])
	s.end(a[7])
	v := s.runningNow()
	first, second := v.Versions[0], v.Versions[1]
	_, err := s.RecapScene(s.chat, a[7], RecapRequest{Force: true})
	must(t, err)
	s.work()
	now := s.runningNow().Version()
	if now.Base != first.ID || now.Covers != a[7] || now.Scenes != 2 || now.Stale {
		t.Errorf("grew out of %s (first %s, second %s), covers %s, %d scenes, stale %t", now.Base, first.ID, second.ID, now.Covers, now.Scenes, now.Stale)
	}
	_, err = s.EditRecap(s.chat, now.ID, "## Current Situation\n- Mended by hand.")
	must(t, err)
	_, err = s.RecapScene(s.chat, a[7], RecapRequest{Force: true})
	must(t, err)
	s.work()
	if next := s.runningNow().Version(); next.Base != now.ID {
		t.Errorf("what the user edited was passed over: grew out of %s", next.Base)
	}
}

// A version that cannot be read must not cost what grew out of it.
func TestRunning_KeepsWhatGrewOutOfALostVersion(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(6, "lamp")
	s.end(a[3])
	s.end(a[7])
	v := s.runningNow()
	must(t, s.store.Update(func(tx *storage.Tx) error { return storage.Runnings.Delete(tx, s.chat, v.Versions[0].ID) }))
	_, err := s.RecapScene(s.chat, a[7], RecapRequest{Force: true})
	must(t, err)
	s.work()
	if now := s.runningNow().Version(); now.Base != v.Versions[1].ID || now.Origin != storage.Generated {
		t.Errorf("grew out of %q as %s", now.Base, now.Origin)
	}
}
