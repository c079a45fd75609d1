package scenes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// small is an engine whose prompts are soon full.
func small(o *enginetest.Setup) {
	o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 200
	o.Servers.Script = func(m []storage.Node, _ int) string {
		return fmt.Sprintf("*The lamp flickers %d.* \"So it goes on %d.\"", len(m), len(m))
	}
}

// scene plays a number of exchanges of about 110 tokens each, ends the scene and recaps it. It
// returns its messages.
func (s *harness) scene(exchanges int, subject string) []storage.NodeID {
	s.T.Helper()
	var texts []string
	for i := range exchanges {
		texts = append(texts, fmt.Sprintf("I ask about the %s, question number %d.", subject, i),
			fmt.Sprintf("*Tove turns the %s over.* \"It belonged to my brother, and that was winter %d. %s\"", subject, i, strings.Repeat("The river was high then. ", 15)))
	}
	ids := s.Tell(texts...)
	s.End(ids[len(ids)-1])
	return ids
}

func (s *harness) next() play.PromptView {
	s.T.Helper()
	v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
	enginetest.Must(s.T, err)
	return v
}

// memoryOf returns the part of a prompt from recaps, "" for none.
func memoryOf(v play.PromptView) string {
	for _, m := range v.Messages {
		if strings.Contains(m.Content, "<roleplay_memory>") {
			return m.Content
		}
	}
	return ""
}

// left returns the reasons for parts that the memory omits.
func left(v play.PromptView) (all []string) {
	for _, p := range v.Parts {
		if p.Layer == prompt.LayerRecap && !p.Included {
			all = append(all, p.Source+": "+p.Reason)
		}
	}
	return all
}

// folded plays scenes until the prompt has folded, and returns their ends.
func (s *harness) folded() (ends []storage.NodeID) {
	s.T.Helper()
	for i := range 12 {
		ids := s.scene(5, []string{"lamp", "rope", "chart", "ledger", "candle", "mirror"}[i%6])
		ends = append(ends, ids[len(ids)-1])
		s.Say(fmt.Sprintf("I wait for the %d. time.", i))
		if v := s.next(); memoryOf(v) != "" && i > 0 && v.OldestInPrompt > ends[1] {
			return ends
		}
	}
	s.T.Fatal("the prompt never folded")
	return nil
}

func TestMemory_PlayedWordsStayWhileTheyFit(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, small)}
	s.Say("I come in.")
	before := s.next()
	ids := s.scene(3, "lamp")
	s.Say("I wait.")
	after := s.next()
	if memoryOf(after) != "" || after.Covered != 0 || after.OldestInPrompt != before.OldestInPrompt {
		t.Errorf("%d covered messages have left a prompt of %d tokens with room for %d: %s", after.Covered, after.Tokens, after.Budget, memoryOf(after))
	}
	if !slices.ContainsFunc(after.Messages, func(m prompt.Message) bool { return m.Content == s.Node(ids[0]).Content }) {
		t.Error("the scene's first message is gone")
	}
	if got := strings.Join(left(after), "\n"); !strings.Contains(got, "already in context, skipped") {
		t.Errorf("the ledger says %q", got)
	}
}

func TestPrompt_CoveredScenesLeaveItInOneStep(t *testing.T) {
	t.Parallel()
	keep := 2
	s := &harness{enginetest.NewHarness(t, small, func(o *enginetest.Setup) { o.Cfg.Memory.Keep = &keep })}
	s.Say("I come in.")
	var a []storage.NodeID
	for before := s.next(); before.Tokens < before.Budget*88/100; before = s.next() {
		a = append(a, s.Tell(fmt.Sprintf("I ask for the %d. time.", len(a)), "She does not answer. "+strings.Repeat("The rain goes on. ", 15))...)
		if before.Covered > 0 {
			t.Fatal("something is covered already")
		}
	}
	end := len(a) - 5
	_, err := s.Scenes.SetBreak(s.Chat, a[end], true)
	enginetest.Must(t, err)
	s.End(a[end/2/2*2+1]) // both scenes are recapped, the first as it ends
	s.End(a[end])
	after := s.next()
	if !after.FoldedThisPrompt || memoryOf(after) == "" || after.Covered == 0 || after.Uncovered != 0 {
		t.Errorf("folded %t, covered %d, uncovered %d: %s", after.FoldedThisPrompt, after.Covered, after.Uncovered, memoryOf(after))
	}
	if after.OldestInPrompt > a[end-1] || after.Tokens > after.Budget*9/10 {
		t.Errorf("it begins at %s, and the scene ends at %s; %d tokens", after.OldestInPrompt, a[end], after.Tokens)
	}
	s.Say("And now?")
	next := s.next()
	for i, m := range after.Messages[:len(after.Messages)-2] { // its tail moves on
		if next.Messages[i] != m {
			t.Errorf("message %d of the next prompt has changed", i)
		}
	}
}

func TestMemory_ARecapAloneChangesNothing(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, small)}
	s.folded()
	before := s.next()
	version := s.RunningNow().Current
	s.scene(1, "bottle")
	after := s.next()
	if s.RunningNow().Current == version {
		t.Fatal("no other version came")
	}
	if after.FoldedThisPrompt || memoryOf(after) != memoryOf(before) || after.OldestInPrompt != before.OldestInPrompt {
		t.Errorf("the prompt begins otherwise: %v\n%s\n%s", after.FoldedThisPrompt, memoryOf(before), memoryOf(after))
	}
	// It stays so after a restart, and for another reply to the same message.
	s.Reopen()
	if again := s.next(); memoryOf(again) != memoryOf(before) {
		t.Errorf("after a restart it tells %s", memoryOf(again))
	}
	turn := s.Say("I wait.")
	if _, err := s.Play.Swipe(s.Chat, turn.Message, 1); err != nil {
		t.Fatal(err)
	}
	_, err := s.Ended()
	enginetest.Must(t, err)
	calls := s.Asked()
	if a, b := enginetest.Flat(calls[len(calls)-2]), enginetest.Flat(calls[len(calls)-1]); a != b {
		t.Error("another reply got another prompt")
	}
}

func TestMemory_TellsOnlyWhatHasLeft(t *testing.T) {
	t.Parallel()
	var recaps []any
	for i := range 12 {
		var lines []enginetest.Object
		for n := 1; n <= 10; n++ {
			lines = append(lines, enginetest.Fact(fmt.Sprintf("In scene %d Tove tells Robin of winter %d.", i+1, n), n))
		}
		recaps = append(recaps, enginetest.RecapOf(fmt.Sprintf("Scene %d", i+1), lines...))
	}
	s := &harness{enginetest.NewHarness(t, small, enginetest.Answering(map[demo.Job][]any{demo.SceneJob: recaps}))}
	s.folded()
	v := s.next()
	text := memoryOf(v)
	recap := s.RunningNow().Version()
	stands := func(id storage.NodeID) bool { return id >= v.OldestInPrompt }
	recapped, said := 0, 0
	for _, src := range recap.Sources {
		all := len(src.Messages) > 0 && !slices.ContainsFunc(src.Messages, func(id storage.NodeID) bool { return !stands(id) })
		in := strings.Contains(text, "- "+src.Bullet+"\n")
		if all && in {
			t.Errorf("%q is told though its messages %v stand in the prompt from %s on\n%s", src.Bullet, src.Messages, v.OldestInPrompt, text)
		}
		if all {
			said++
		} else if in {
			recapped++
		}
	}
	if recapped == 0 || said == 0 {
		t.Fatalf("%d facts told, %d said by messages: the case shows nothing\n%s", recapped, said, text)
	}
}

func TestMemory_WhatTheUserChangesIsToldAtOnce(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, small)}
	ends := s.folded()
	s.scene(1, "bottle") // a version that waits for the next fold
	v := s.RunningNow().Version()
	before := memoryOf(s.next())
	if strings.Contains(before, "bottle") {
		t.Fatalf("it does not wait: %s", before)
	}
	_, err := s.Scenes.EditRecap(s.Chat, v.ID, v.Text+"\n- The bottle holds a letter.")
	enginetest.Must(t, err)
	if got := memoryOf(s.next()); !strings.Contains(got, "The bottle holds a letter.") {
		t.Errorf("an edit is not told: %s", got)
	}
	enginetest.Must(t, s.Scenes.RestoreRecap(s.Chat, v.ID))
	if got := memoryOf(s.next()); got != before {
		t.Errorf("taken back, it tells\n%s\nand told\n%s", got, before)
	}
	// The recap of a scene that has left the prompt is corrected: the running recap has it wrong.
	sources := s.recapOf(ends[0]).Version().Text
	_, err = s.Scenes.EditRecap(s.Chat, s.recapOf(ends[0]).Version().ID, strings.ReplaceAll(sources, "brother", "sister"))
	enginetest.Must(t, err)
	_, err = s.Scenes.MergeRunning(s.Chat, ends[0])
	enginetest.Must(t, err)
	s.Work()
	if got := memoryOf(s.next()); got == before {
		t.Errorf("a scene that was told anew is not in it: %s", got)
	}
}

func TestMemory_AnOlderVersionIsChosen(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, small)}
	s.folded()
	before := s.next()
	list := s.RunningNow()
	enginetest.Must(t, s.Scenes.ChooseRecap(s.Chat, list.Versions[0].ID))
	after := s.next()
	if memoryOf(after) == memoryOf(before) {
		t.Error("the version that the user has chosen is not told")
	}
}
