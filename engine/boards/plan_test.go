package boards_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// plan has steps planned and returns the board.
func (s *harness) plan(node storage.NodeID, r boards.PlanRequest) boards.View {
	s.T.Helper()
	_, err := s.Boards.Plan(s.Chat, node, r)
	enginetest.Must(s.T, err)
	s.Work()
	return s.board(node)
}

func TestPlanBoard_All(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	v := s.plan(node, boards.PlanRequest{All: true, Instruction: "slowly"})
	if len(v.Beats) == 0 || v.Filler == nil || len(v.Budget) != len(v.Beats) || len(v.Shots) == 0 || v.Stage != storage.BoardShots || v.Working != "" {
		t.Fatalf("%+v", v.Board)
	}
	calls, err := s.Boards.Calls(s.Chat, node)
	enginetest.Must(t, err)
	var tools []string
	for _, c := range calls {
		tools = append(tools, c.Tool)
		if c.By != storage.ByModel || c.Turn != c.ID || c.Text != "slowly" || c.After.Stage == "" {
			t.Errorf("%+v", c)
		}
	}
	want := []string{storyboard.RecommendBeats, storyboard.RecommendFiller, storyboard.BudgetPackages}
	want = append(want, slices.Repeat([]string{storyboard.GeneratePackage}, len(v.Beats))...)
	if want = append(want, storyboard.GenerateShots); !slices.Equal(tools, want) {
		t.Errorf("the steps were %v, want %v", tools, want)
	}
	if !slices.ContainsFunc(s.Seen, func(ev event.Event) bool { c, ok := ev.(boards.Changed); return ok && c.Node == node }) {
		s.DrainFeed()
	}
	if _, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{All: true}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("there are shots, and planning goes on: %v", err)
	}
	s.Sound()
}

// A crash leaves a step as one that runs; asked for again, it is that one that goes
// on, and no second one beside it.
func TestPlanBoard_AskedAgain(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	id, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{All: true, Instruction: "slowly"})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		op, err := storage.Operations.Get(tx, id)
		op.Status = storage.InProgress
		return errors.Join(err, storage.Operations.Put(tx, id, op))
	}))
	for _, r := range []boards.PlanRequest{{All: true}, {}, {All: true, Instruction: "slowly"}} {
		if again, err := s.Boards.Plan(s.Chat, node, r); err != nil || again != id {
			t.Errorf("%+v: %s, %v; want %s", r, again, err, id)
		}
	}
	if other, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{Instruction: "fast"}); err != nil || other == id {
		t.Errorf("another wish: %s, %v", other, err)
	}
	line, err := s.Boards.Steer(s.Chat, node, "closer")
	enginetest.Must(t, err)
	if again, err := s.Boards.Steer(s.Chat, node, "closer"); err != nil || again != line {
		t.Errorf("the same line: %s, %v; want %s", again, err, line)
	}
	if other, err := s.Boards.Steer(s.Chat, node, "wider"); err != nil || other == line {
		t.Errorf("another line: %s, %v", other, err)
	}
}

func TestPlanBoard_StepByStep(t *testing.T) {
	t.Parallel()
	s, node := scened(t, enginetest.Answering(map[demo.Job][]any{demo.EditJob: {enginetest.Object{"summary": "All of it closer.",
		"calls": []any{enginetest.Object{"tool": storyboard.ModifyShot, "params": enginetest.Object{"shot": "s1", "size": "close_up"}}}}}}))
	for _, want := range []storage.BoardStage{storage.BoardBeats, storage.BoardFiller, storage.BoardBudget, storage.BoardBudget, storage.BoardShots} {
		if v := s.plan(node, boards.PlanRequest{}); v.Stage != want {
			t.Fatalf("stage %q, want %q", v.Stage, want)
		}
	}
	v := s.board(node)
	if v.Done != 4+len(v.Beats) {
		t.Errorf("one step writes the packages of all beats: %d calls for %d beats", v.Done, len(v.Beats))
	}
	v = s.plan(node, boards.PlanRequest{Tool: storyboard.ProposeEdit, Instruction: "closer"})
	if v.Proposal == nil || v.Proposal.Request != "closer" || len(v.Proposal.Calls) == 0 {
		t.Fatalf("%+v", v.Proposal)
	}
	v, err := s.Boards.Call(s.Chat, node, storage.ToolCall{Tool: storyboard.ExecuteEdit})
	enginetest.Must(t, err)
	if v.Proposal != nil || v.Stage != storage.BoardShots {
		t.Errorf("%+v", v.Board)
	}
	v, err = s.Boards.Call(s.Chat, node, storage.ToolCall{Tool: storyboard.ConfirmShots})
	enginetest.Must(t, err)
	if v.Stage != storage.BoardReady {
		t.Errorf("stage %q", v.Stage)
	}
	if n := s.queued(taste.OpHarvest); n != 1 {
		t.Errorf("%d harvests wait for a board that is ready", n)
	}
	_, err = s.Boards.Call(s.Chat, node, enginetest.Shots(t, "rain"))
	enginetest.Must(t, err)
	_, err = s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	if n := s.queued(taste.OpHarvest); n != 1 {
		t.Errorf("%d harvests wait after edits in one go", n)
	}
}

// beatFound has a beat found in each part of a scene.
func beatFound() func(*enginetest.Setup) {
	return enginetest.Answering(map[demo.Job][]any{demo.BeatsJob: {enginetest.Object{"beats": []any{
		enginetest.Object{"messages": []int{1}, "why": "She tells of her brother.", "text": "Tove turns the lamp over."}}}}})
}

// queued counts the operations of a kind that wait or run.
func (s *harness) queued(typ string) (n int) {
	s.T.Helper()
	ops, err := s.Queue.List()
	enginetest.Must(s.T, err)
	for _, op := range ops {
		if op.Type == typ && (op.Status == storage.Pending || op.Status == storage.InProgress) {
			n++
		}
	}
	return n
}

func TestPlanBoard_TheSameStepWaitsOnce(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	first, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{})
	enginetest.Must(t, err)
	again, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{Tool: storyboard.RecommendBeats})
	enginetest.Must(t, err)
	other, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{Instruction: "slowly"})
	enginetest.Must(t, err)
	if first != again || first == other || s.board(node).Working != storyboard.RecommendBeats {
		t.Errorf("%s %s %s, working %q", first, again, other, s.board(node).Working)
	}
	enginetest.Must(t, s.Boards.Cancel(s.Chat, node))
	if v := s.board(node); v.Working != "" || v.Begun {
		t.Errorf("%+v", v)
	}
	s.Work()
	if s.board(node).Begun {
		t.Error("what was cancelled was done")
	}
}

func TestPlanBoard_WhatCannotBePlanned(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	for _, r := range []boards.PlanRequest{{Tool: "paint"}, {Tool: storyboard.ConfirmShots}, {Tool: storyboard.ModifyShot}, {Tool: storyboard.RecommendFiller}, {Tool: storyboard.BudgetPackages},
		{Tool: storyboard.GeneratePackage}, {Tool: storyboard.GeneratePackage, Beat: "b7"}, {Tool: storyboard.GenerateShots}, {Tool: storyboard.ProposeEdit, Instruction: "closer"}} {
		if _, err := s.Boards.Plan(s.Chat, node, r); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	_, err := s.Boards.Call(s.Chat, node, enginetest.Shots(t, "the lamp"))
	enginetest.Must(t, err)
	for _, r := range []boards.PlanRequest{{}, {Tool: storyboard.ProposeEdit}} {
		if _, err := s.Boards.Plan(s.Chat, node, r); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := s.Boards.Plan(s.Chat, s.Last().ID, boards.PlanRequest{}); !errors.Is(err, scenes.ErrNoScene) {
		t.Errorf("a scene that has not ended: %v", err)
	}
	if _, err := s.Boards.Steer(s.Chat, node, " \n"); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("an empty line: %v", err)
	}
	if s.queued(boards.OpBoardPlan)+s.queued(boards.OpBoardSteer) != 0 {
		t.Error("something waits all the same")
	}
}

func TestPlanBoard_FaultsKeepTheBoard(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]demo.Fault{
		"no JSON": says("Once upon a time."), "no beats": says(`{"beats": []}`), "no such messages": says(`{"beats": [{"text": "", "why": "", "messages": [99]}]}`),
		"cut off": {Kind: demo.Cut, After: 4}, "no model": {Kind: demo.Missing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, node := drawn(t)
			s.Spoil(fault)
			_, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{Tool: storyboard.RecommendBeats, All: true})
			enginetest.Must(t, err)
			if _, err := s.Queue.Drain(s.Context()); !errors.Is(err, queue.ErrFailed) {
				t.Errorf("draining: %v", err)
			}
			s.listIs(node, "s1 the lamp, s2 the door, s3 her hands")
			if v := s.board(node); v.Done != 1 || v.Working != "" {
				t.Errorf("%+v", v.Board)
			}
			s.SpoilBy(nil)
			ops, err := s.Queue.List()
			enginetest.Must(t, err)
			enginetest.Must(t, s.Queue.Retry(ops[len(ops)-1].ID))
			s.Work()
			if v := s.board(node); len(v.Beats) == 0 {
				t.Error("the retry brought no beats")
			}
			s.Sound()
		})
	}
}

func TestPlanBoard_TheUserWorksOnMeanwhile(t *testing.T) {
	t.Parallel()
	mine := storage.Plan{Beats: []storage.BoardBeat{{Text: "My own beat"}}}
	t.Run("on what is replaced", func(t *testing.T) {
		t.Parallel()
		s, node := scened(t)
		_, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{All: true})
		enginetest.Must(t, err)
		s.script(func() {
			if _, err := s.Boards.EditPlan(s.Chat, node, mine); err != nil {
				t.Error(err)
			}
		}, demo.Fault{})
		s.Work()
		if v := s.board(node); len(v.Beats) != 1 || v.Beats[0].Text != "My own beat" || v.Done != 1 || v.Filler != nil {
			t.Errorf("%+v", v.Board)
		}
		enginetest.Until(s.Harness, func(ev event.Notice) bool { return strings.Contains(ev.Text, "was discarded") })
	})
	t.Run("on something else", func(t *testing.T) {
		t.Parallel()
		s, node := scened(t)
		_, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{})
		enginetest.Must(t, err)
		s.script(func() {
			if _, err := s.Boards.Call(s.Chat, node, enginetest.Shots(t, "the lamp")); err != nil {
				t.Error(err)
			}
		}, demo.Fault{})
		s.Work()
		if v := s.board(node); len(v.Beats) == 0 || listed(v) != "s1 the lamp" || v.Done != 2 {
			t.Errorf("%+v", v.Board)
		}
	})
}

// With a small context a long scene and a long storyboard are told more briefly,
// and what was learnt waits: nothing fails for want of room.
func TestBoardWork_FitsASmallContext(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, beatFound(), func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 4096 })})
	var texts []string
	for range 40 {
		texts = append(texts, strings.Repeat("*Tove turns the lamp over and looks at the rain.* \"It was my brother's, and that was winter.\" ", 8))
	}
	a := s.Tell(texts...)
	node := a[len(a)-2]
	s.EndWithoutRecap(node)
	if v := s.plan(node, boards.PlanRequest{All: true}); len(v.Shots) == 0 {
		t.Fatalf("%+v", v.Board)
	}
	_, err := s.Boards.Call(s.Chat, node, enginetest.Shots(t, slices.Repeat([]string{strings.Repeat("the lamp beside the window ", 8)}, 100)...))
	enginetest.Must(t, err)
	for range 3 {
		s.steer(node, "make "+strings.Repeat("this shot of the lamp ", 20)+"darker")
	}
	head, asked := "", s.chats()
	for i, c := range asked {
		text, _, _ := strings.Cut(string(c.Body), "/transcript")
		if strings.Contains(text, "too long to be shown at once") {
			continue // a part of the scene, or what a beat is about
		}
		if head != "" && text != head {
			t.Errorf("request %d begins otherwise", i)
		}
		head = text
	}
	if len(asked) < 8 {
		t.Errorf("%d requests", len(asked))
	}
}
