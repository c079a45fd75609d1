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
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// telling configures an engine with a small context, whose replies have a fact each.
func telling(o *enginetest.Setup) {
	o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 300
	o.Servers.Script = func(m []storage.Node, _ int) string {
		step := 0
		for _, n := range m {
			if _, rest, ok := strings.Cut(n.Content, "I go on, step "); ok {
				_, _ = fmt.Sscanf(rest, "%d", &step)
			}
		}
		return fact(step)
	}
}

func fact(i int) string {
	return kept(i) + ". " + strings.Repeat("They walk on along the quay, slowly. ", 18)
}

// turn plays a turn and works the queue off.
func (s *harness) turn(i int) play.PromptView {
	s.T.Helper()
	s.Say(fmt.Sprintf("I go on, step %d.", i))
	s.Work()
	return s.next()
}

// untilInterim plays until a prompt contains an interim recap.
func (s *harness) untilInterim() (v play.PromptView, turns int) {
	s.T.Helper()
	for i := range 60 {
		if v = s.turn(i); strings.Contains(memoryOf(v), "# Earlier in this scene") {
			return v, i + 1
		}
	}
	s.T.Fatalf("no prompt tells how the scene began: %v", left(v))
	return v, 0
}

func (s *harness) interim() *scenes.InterimView {
	s.T.Helper()
	v, _, err := s.Scenes.Interim(s.Chat)
	enginetest.Must(s.T, err)
	return v
}

// facts calls each with the facts of the replies on the path: whether they are in a prompt's
// messages, and how often in its memory.
func (s *harness) facts(v play.PromptView, each func(fact string, stands bool, recapped int)) {
	s.T.Helper()
	memory := memoryOf(v)
	for _, n := range s.Nodes() {
		if f, _, ok := strings.Cut(n.Content, ". They walk"); ok && n.Role == storage.Assistant {
			each(f, slices.ContainsFunc(v.Messages, func(m prompt.Message) bool { return m.Content == n.Content }), strings.Count(memory, f))
		}
	}
}

// A scene larger than the room loses nothing: everything that has left the prompt is in an interim
// recap, once.
func TestInterim_TellsHowTheOpenSceneBegan(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("45 turns, one after another")
	}
	s := &harness{enginetest.NewHarness(t, telling)}
	r := s.reader()
	folds, last := 0, ""
	for i := range 45 {
		v := s.turn(i)
		if memory := memoryOf(v); memory != last {
			if !v.FoldedThisPrompt {
				t.Errorf("turn %d: the memory changes without a fold", i)
			}
			folds, last = folds+1, memory
		}
		gone := 0
		s.facts(v, func(f string, stands bool, recapped int) {
			switch {
			case !stands && recapped == 0:
				t.Errorf("turn %d: %q is forgotten", i, f)
			case stands && recapped > 0 || recapped > 1:
				t.Errorf("turn %d: %q stands in the messages %v and %d times in the memory", i, f, stands, recapped)
			}
			if !stands {
				gone++
			}
		})
		if v.Uncovered > 0 || (gone > 0) != (v.Covered > 0) {
			t.Errorf("turn %d: %d facts out of it, %d messages covered, %d not", i, gone, v.Covered, v.Uncovered)
		}
		if t.Failed() {
			t.Fatalf("%v\n%s", left(v), memoryOf(v))
		}
	}
	if folds < 2 {
		t.Fatalf("%d folds", folds)
	}
	for first, n := range r.asked {
		if n != 1 {
			t.Errorf("the part from %s on was read %d times", first, n)
		}
	}
	if v := s.interim(); v == nil || v.Parts != r.total() || len(v.Reads) != v.Parts || v.Reads[v.Parts-1] != v.Messages || !slices.IsSorted(v.Reads) || v.Kind != storage.InterimRecap || len(v.Lorebooks) == 0 {
		t.Errorf("%d parts were read: %+v", r.total(), v)
	}
	t.Logf("%d folds, %d parts, %d put together", folds, r.total(), r.merges)
	s.Sound()
}

// When the scene ends, its recap reads only the messages after the interim recaps, takes the rest
// from these, and replaces them in the next prompt that folds.
func TestInterim_TheSceneEnds(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		telling(o)
		o.Cfg.Sampling.NumCtx += 256
	})}
	r := s.reader()
	_, turns := s.untilInterim()
	before := s.turn(turns)
	read := r.total()
	end := s.Last().ID
	_, err := s.Scenes.SetBreak(s.Chat, end, true)
	enginetest.Must(t, err)
	if s.interim() != nil {
		t.Error("the scene that has ended is shown as open")
	}
	_, err = s.Scenes.Recap(s.Chat, end, scenes.RecapRequest{})
	enginetest.Must(t, err)
	s.Work()
	v := s.recapOf(end).Version()
	if v == nil || r.total() != read+1 || v.Parts != read+1 || v.Kind != storage.SceneRecap {
		t.Fatalf("%d parts before, %d after: %+v", read, r.total(), v)
	}
	for _, n := range s.Nodes() {
		f, _, ok := strings.Cut(n.Content, ". They walk")
		if !ok {
			continue
		}
		if from := scene.SourcesOf(v.Recap, f); len(from) != 1 || from[0] != n.ID {
			t.Errorf("%q comes from %v", f, from)
		}
	}
	if len(v.Witnesses) != 1 {
		t.Errorf("known by %v", v.Witnesses)
	}
	// Nothing changes before the next fold.
	after := s.next()
	if after.FoldedThisPrompt || memoryOf(after) != memoryOf(before) {
		t.Errorf("the prompt was\n%s\nand is\n%s", memoryOf(before), memoryOf(after))
	}
	for i := range 40 {
		if after = s.turn(turns + 1 + i); after.FoldedThisPrompt {
			break
		}
	}
	s.facts(after, func(f string, stands bool, recapped int) {
		if stands == (recapped > 0) || recapped > 1 {
			t.Errorf("%q stands in the messages %v and %d times in the memory", f, stands, recapped)
		}
	})
	if !after.FoldedThisPrompt {
		t.Error("it never folded")
	}
	// A recap that the user wants in another form is made from the whole scene again.
	read = r.total()
	_, err = s.Scenes.Recap(s.Chat, end, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	if r.total() < read+2 {
		t.Errorf("%d parts more", r.total()-read)
	}
	s.Sound()
}

// An interim recap is removed with what it covers: with an edited or deleted message, with a break
// inside it; and on another branch it is not used.
func TestInterim_FollowsTheBranch(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, telling)}
	s.reader()
	v, _ := s.untilInterim()
	have := s.interim()
	if have == nil {
		t.Fatal("there is none")
	}
	path := s.PathIDs()
	at, first := slices.Index(path, have.Last), 0
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		first = slices.Index(path, scenes.InterimsOf(tx, s.Chat)[0].Node)
		return nil
	}))
	head := s.Last().ID
	s.Sibling(path[first], "Not so.")
	if s.interim() != nil || memoryOf(s.next()) != "" {
		t.Errorf("a branch without its messages is told it: %s", memoryOf(s.next()))
	}
	enginetest.Must(t, s.Chats.Goto(s.Chat, head))
	if memoryOf(s.next()) != memoryOf(v) {
		t.Error("back on its branch it is not back")
	}
	s.Reopen()
	if memoryOf(s.next()) != memoryOf(v) {
		t.Error("it is gone with the program")
	}
	_, err := s.Scenes.SetBreak(s.Chat, path[at], true)
	enginetest.Must(t, err)
	_, err = s.Scenes.SetBreak(s.Chat, path[at], false)
	enginetest.Must(t, err)
	if s.interim() == nil {
		t.Error("a scene that ends just there throws it away")
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, path[1], "It was all otherwise."))
	if s.interim() != nil || memoryOf(s.next()) != "" {
		t.Errorf("it tells what is no longer so: %s", memoryOf(s.next()))
	}
	s.Sound()
}

// A break inside an interim recap's messages removes it.
func TestInterim_ABreakWithin(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, telling)}
	s.reader()
	s.untilInterim()
	path := s.PathIDs()
	_, err := s.Scenes.SetBreak(s.Chat, path[3], true)
	enginetest.Must(t, err)
	if s.interim() != nil || strings.Contains(memoryOf(s.next()), "# Earlier in this scene") {
		t.Error("it tells of two scenes")
	}
}

// What comes after a fold waits for the next one, and one that was never made leaves the
// prompt as it was before there were any.
func TestInterim_NeverEntersAPromptAlone(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, telling)}
	r := s.reader()
	r.fail = func(string) bool { return true }
	var v play.PromptView
	for i := range 60 {
		s.Say(fmt.Sprintf("I go on, step %d.", i))
		_, _ = s.Queue.Drain(s.Context()) // it fails
		if v = s.next(); v.Uncovered > 0 {
			break
		}
	}
	if v.Uncovered == 0 || memoryOf(v) != "" {
		t.Fatalf("%d messages have left it: %s", v.Uncovered, memoryOf(v))
	}
	if n := r.total(); n == 0 || n > 12 {
		t.Errorf("asked %d times for what fails", n)
	}
	r.fail = nil
	s.Say("I wait.") // the fold
	began := s.next().OldestInPrompt
	for i := range 40 {
		v = s.turn(100 + i)
		if recapped := memoryOf(v) != ""; recapped != (v.OldestInPrompt != began) {
			t.Fatalf("told %v, and the prompt begins at %s, before at %s", recapped, v.OldestInPrompt, began)
		} else if recapped {
			break
		}
	}
	lost := 0
	s.facts(v, func(f string, stands bool, recapped int) {
		if !stands && recapped == 0 {
			lost++
		}
	})
	if memoryOf(v) == "" || lost > 0 {
		t.Errorf("%d facts are lost for good: %s", lost, memoryOf(v))
	}
}

func TestInterim_CanBeTurnedOff(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, telling, func(o *enginetest.Setup) { o.Cfg.Scenes.NoInterim = true })}
	r := s.reader()
	for i := range 40 {
		if v := s.turn(i); v.Uncovered > 0 {
			break
		}
	}
	if r.total() > 0 || s.interim() != nil {
		t.Errorf("%d requests", r.total())
	}
}

// If scenes are recapped one by one, the open one has a recap too.
func TestInterim_InModeScenes(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, telling, func(o *enginetest.Setup) { o.Cfg.Memory.Mode = "scenes" })}
	s.reader()
	var v play.PromptView
	for i := range 40 {
		if v = s.turn(i); memoryOf(v) != "" {
			break
		}
	}
	if !strings.Contains(memoryOf(v), "### Scene 1: so far") || v.Uncovered > 0 || !v.FoldedThisPrompt {
		t.Errorf("%d messages that nothing covers: %s", v.Uncovered, memoryOf(v))
	}
	s.facts(v, func(f string, stands bool, recapped int) {
		if stands == (recapped > 0) {
			t.Errorf("%q stands %v and is told %d times", f, stands, recapped)
		}
	})
	if before := memoryOf(v); memoryOf(s.turn(50)) != before {
		t.Error("the next turn tells something else")
	}
}

// A careless model that puts parts together loses nothing of them.
func TestInterim_PutTogetherByACarelessModel(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("60 turns, one after another")
	}
	s := &harness{enginetest.NewHarness(t, telling)}
	r := s.reader()
	r.merge = func(demo.Call) any {
		return map[string]any{"recap": map[string]any{"current_situation": []any{map[string]any{"text": "All is well", "bullets": []int{1}}}}, "dropped": []any{}}
	}
	for i := range 60 {
		if s.turn(i); r.merges > 0 {
			break
		}
	}
	v := s.interim()
	if v == nil || r.merges == 0 {
		t.Fatalf("%d put together: %+v", r.merges, v)
	}
	recapped := bulletsIn(v.Text)
	for _, n := range s.Nodes() {
		f, _, ok := strings.Cut(n.Content, ". They walk")
		if ok && n.ID <= v.Last && !slices.Contains(recapped, f) {
			t.Errorf("%q is lost", f)
		}
	}
	s.Sound()
}

// A long play without marked scenes is recapped piece by piece: each interim recap reads the next
// messages, and nothing twice.
func TestInterim_OfALongUnmarkedPlay(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("600 messages, in one goroutine")
	}
	s := &harness{enginetest.NewHarness(t, telling)}
	r := s.reader()
	var texts []string
	for i := range 600 {
		texts = append(texts, fmt.Sprintf("Line %d of a long evening by the river, and of no importance to anybody here at all.", i))
	}
	s.Tell(texts...)
	last, steps := 0, 0
	for i := 0; i < 60 && last < 500; i++ {
		s.turn(i)
		v := s.interim()
		if v == nil {
			continue
		}
		if v.Messages-last > 240 || v.Messages < last {
			t.Fatalf("turn %d: after %d messages it tells %d", i, last, v.Messages)
		}
		if v.Messages > last {
			last, steps = v.Messages, steps+1
		}
	}
	if last < 500 || steps < 3 {
		t.Errorf("it tells %d messages, in %d steps", last, steps)
	}
	if n := r.total(); n > 40 {
		t.Errorf("%d requests", n)
	}
}
