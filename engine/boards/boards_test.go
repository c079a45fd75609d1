package boards_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// scened returns a harness with a scene that has ended, and its last message.
func scened(t testing.TB, change ...func(*enginetest.Setup)) (*harness, storage.NodeID) {
	s := (&harness{enginetest.NewHarness(t, change...)})
	a := s.Exchange(4, "lamp")
	s.EndWithoutRecap(a[5])
	s.DrainFeed()
	return s, a[5]
}

func (s *harness) board(node storage.NodeID) boards.View {
	s.T.Helper()
	v, err := s.Boards.Board(s.Chat, node)
	enginetest.Must(s.T, err)
	return v
}

// drawn returns a scened harness whose board has three shots, s1 to s3.
func drawn(t testing.TB, change ...func(*enginetest.Setup)) (*harness, storage.NodeID) {
	t.Helper()
	s, node := scened(t, change...)
	_, err := s.Boards.Call(s.Chat, node, enginetest.Shots(t, "the lamp", "the door", "her hands"))
	enginetest.Must(t, err)
	s.DrainFeed()
	return s, node
}

// listed returns a board's shots in brief.
func listed(v boards.View) string {
	var out []string
	for _, s := range v.Shots {
		out = append(out, string(s.ID)+" "+s.Description)
	}
	return strings.Join(out, ", ")
}

func (s *harness) listIs(node storage.NodeID, want string) {
	s.T.Helper()
	if got := listed(s.board(node)); got != want {
		s.T.Errorf("the board is %q, want %q", got, want)
	}
}

// records counts the calls that are stored for a chat.
func (s *harness) records() (n int) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for range storage.BoardCalls.All(tx, s.Chat) {
			n++
		}
		return nil
	}))
	return n
}

func TestBoard_BeginsWithItsFirstCall(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	if v := s.board(node); v.Begun || v.Node != node || v.Scene.Number != 1 || v.Scene.Messages != 7 || v.CanUndo || v.CanRedo || v.Stale {
		t.Errorf("before anything: %+v", v)
	}
	v, err := s.Boards.Call(s.Chat, node, enginetest.Shots(t, "the lamp", "the door"), enginetest.Call(t, storyboard.ModifyShot, map[string]any{"index": 2, "size": "wide"}))
	enginetest.Must(t, err)
	if !v.Begun || listed(v) != "s1 the lamp, s2 the door" || v.Shots[1].Size != "wide" || v.Stage != storage.BoardShots || v.Done != 2 || !v.CanUndo || v.Stale {
		t.Errorf("%+v", v)
	}
	enginetest.Until(s.Harness, func(ev boards.Changed) bool { return ev.Chat == s.Chat && ev.Node == node })
	calls, err := s.Boards.Calls(s.Chat, node)
	enginetest.Must(t, err)
	for i, c := range calls {
		if c.Turn != calls[0].ID || c.By != storage.ByUser || c.Board != node || c.At.IsZero() || len(c.After.Shots) != 2 {
			t.Errorf("call %d: %+v", i, c)
		}
	}
	if len(calls) != 2 || calls[0].After.Shots[1].Size != "" || calls[1].After.Shots[1].Size != "wide" {
		t.Errorf("each call has the list after it: %+v", calls)
	}
	rows, err := s.Boards.List(s.Chat)
	enginetest.Must(t, err)
	if len(rows) != 1 || rows[0].Node != node || rows[0].Stage != storage.BoardShots || rows[0].Shots != 2 || rows[0].Calls != 2 || rows[0].Learned {
		t.Errorf("%+v", rows)
	}
	s.Reopen()
	s.listIs(node, "s1 the lamp, s2 the door")
	s.Sound()
}

func TestCallBoard_AllOrNone(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	before := s.board(node)
	for name, calls := range map[string][]storage.ToolCall{
		"nothing":      {},
		"no such shot": {enginetest.Shots(t, "more"), enginetest.Call(t, storyboard.RemoveShots, map[string]any{"shots": []string{"s99"}})},
		"no such tool": {enginetest.Shots(t, "more"), {Tool: "paint"}},
		"no object":    {enginetest.Shots(t, "more"), {Tool: storyboard.RemoveShots, Params: json.RawMessage(`[1]`)}},
		"no JSON":      {enginetest.Shots(t, "more"), {Tool: storyboard.RemoveShots, Params: json.RawMessage(`{`)}},
		"too many":     slices.Repeat([]storage.ToolCall{enginetest.Shots(t, "more")}, boards.MostInTurn+1),
	} {
		if _, err := s.Boards.Call(s.Chat, node, calls...); err == nil || failure.Text(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if now := s.board(node); listed(now) != listed(before) || now.Done != 1 || now.LastShot != 3 || s.records() != 1 {
			t.Errorf("%s: the board is %+v", name, now.Board)
		}
	}
	for name, at := range map[string]storage.NodeID{"an open scene": s.Last().ID, "no message": storage.NodeID(storage.NewID()), "no id": "x"} {
		if _, err := s.Boards.Call(s.Chat, at, enginetest.Shots(t, "more")); !errors.Is(err, scenes.ErrNoScene) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Boards.Call(storage.ChatID(storage.NewID()), node, enginetest.Shots(t, "more")); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no chat: %v", err)
	}
	s.Sound()
}

func TestUndoBoard_TakesBackWholeTurns(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	_, err := s.Boards.Call(s.Chat, node, enginetest.Shots(t, "rain"), enginetest.Call(t, storyboard.RemoveShots, map[string]any{"shots": []string{"s1", "s2"}}))
	enginetest.Must(t, err)
	s.listIs(node, "s3 her hands, s4 rain")
	v, err := s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	if listed(v) != "s1 the lamp, s2 the door, s3 her hands" || v.Done != 1 || !v.CanRedo || !v.CanUndo {
		t.Errorf("%+v", v)
	}
	if calls, err := s.Boards.Calls(s.Chat, node); err != nil || len(calls) != 1 {
		t.Errorf("in force are %d calls, %v", len(calls), err)
	}
	v, err = s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	if listed(v) != "" || v.Done != 0 || v.CanUndo || !v.CanRedo || !v.Begun {
		t.Errorf("%+v", v)
	}
	if _, err := s.Boards.Undo(s.Chat, node); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("nothing to undo: %v", err)
	}
	_, err = s.Boards.Redo(s.Chat, node)
	enginetest.Must(t, err)
	s.listIs(node, "s1 the lamp, s2 the door, s3 her hands")
	_, err = s.Boards.Redo(s.Chat, node)
	enginetest.Must(t, err)
	s.listIs(node, "s3 her hands, s4 rain")
	if _, err := s.Boards.Redo(s.Chat, node); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("nothing to do again: %v", err)
	}
	_, err = s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	if _, err := s.Boards.Call(s.Chat, node, enginetest.Shots(t, "snow")); err != nil {
		t.Fatal(err)
	}
	if v := s.board(node); listed(v) != "s1 the lamp, s2 the door, s3 her hands, s5 snow" || v.CanRedo || s.records() != 2 {
		t.Errorf("a new call cuts off what was taken back: %+v, %d records", v, s.records())
	}
	s.Sound()
}

// Whatever is done, taken back and done again, the board is what it was at that
// place, and no number is given twice.
func TestUndoBoard_InAnyOrder(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	r := rand.New(rand.NewPCG(7, 1))
	stands, at := []string{""}, 0 // what the board is after each go
	made := 0
	for i := range 60 {
		var v boards.View
		var err error
		switch r.IntN(5) {
		case 0, 1:
			v, err = s.Boards.Undo(s.Chat, node)
			if at == 0 {
				if !errors.Is(err, failure.ErrRefused) {
					t.Fatalf("step %d: undo of nothing: %v", i, err)
				}
				continue
			}
			at--
		case 2:
			v, err = s.Boards.Redo(s.Chat, node)
			if at == len(stands)-1 {
				if !errors.Is(err, failure.ErrRefused) {
					t.Fatalf("step %d: redo of nothing: %v", i, err)
				}
				continue
			}
			at++
		default:
			n := 1 + r.IntN(3)
			made += n
			v, err = s.Boards.Call(s.Chat, node, slices.Repeat([]storage.ToolCall{enginetest.Shots(t, fmt.Sprint("shot of step ", i))}, n)...)
			enginetest.Must(t, err)
			if last := v.Shots[len(v.Shots)-1].ID; last != storage.ShotID(fmt.Sprint("s", made)) {
				t.Fatalf("step %d: the newest of %d shots is %s", i, made, last)
			}
			at++
			stands = append(stands[:at], listed(v))
		}
		enginetest.Must(t, err)
		if listed(v) != stands[at] || v.CanUndo != (at > 0) || v.CanRedo != (at < len(stands)-1) || len(v.Calls) != s.records() {
			t.Fatalf("step %d: %s, want %s; undo %v, redo %v, %d calls, %d records", i, listed(v), stands[at], v.CanUndo, v.CanRedo, len(v.Calls), s.records())
		}
	}
	s.Sound()
}

func TestUndoBoard_VeryManyCalls(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	for turn := range boards.MostBoardCalls/boards.MostInTurn + 2 {
		var calls []storage.ToolCall
		for i := range boards.MostInTurn {
			calls = append(calls, enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s1", "description": fmt.Sprint("the lamp ", turn, ".", i)}))
		}
		_, err := s.Boards.Call(s.Chat, node, calls...)
		enginetest.Must(t, err)
	}
	calls, err := s.Boards.Calls(s.Chat, node)
	enginetest.Must(t, err)
	if len(calls) > boards.MostBoardCalls || len(calls) <= boards.MostBoardCalls-boards.MostInTurn || s.records() != len(calls) || calls[0].Turn != "" || calls[1].Turn != calls[1].ID {
		t.Fatalf("%d calls and %d records, the first two %+v", len(calls), s.records(), calls[:2])
	}
	now := s.board(node)
	n := 0
	for now.CanUndo {
		now, err = s.Boards.Undo(s.Chat, node)
		enginetest.Must(t, err)
		n++
	}
	if listed(now) == "" || now.Done != 1 || n != len(calls)/boards.MostInTurn {
		t.Errorf("after %d times back: %d calls, %s", n, now.Done, listed(now))
	}
	if _, err := s.Boards.Undo(s.Chat, node); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("what was before is forgotten: %v", err)
	}
	s.Sound()
}

func TestBoards_FollowTheTree(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	for _, at := range []storage.NodeID{a[1], a[5]} {
		s.EndWithoutRecap(at)
		_, err := s.Boards.Call(s.Chat, at, enginetest.Shots(t, "the lamp"))
		enginetest.Must(t, err)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
	b := s.Exchange(2, "key")
	s.EndWithoutRecap(b[1])
	rows, err := s.Boards.List(s.Chat)
	enginetest.Must(t, err)
	if len(rows) != 2 || rows[0].Node != a[1] || rows[0].Shots != 1 || rows[1].Node != b[1] || rows[1].Stage != "" {
		t.Errorf("along the branch: %+v", rows)
	}
	if v := s.board(a[5]); listed(v) != "s1 the lamp" || v.Scene.Number != 2 {
		t.Errorf("of the other branch: %+v", v)
	}
	_, err = s.Scenes.SetBreak(s.Chat, a[1], false)
	enginetest.Must(t, err)
	if _, err := s.Boards.Board(s.Chat, a[1]); !errors.Is(err, scenes.ErrNoScene) {
		t.Errorf("a scene that has not ended any more: %v", err)
	}
	s.EndWithoutRecap(a[1])
	s.listIs(a[1], "s1 the lamp")
}

func TestBoard_IsStaleWhenItsSceneChanges(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	enginetest.Must(t, s.Chats.Edit(s.Chat, node, "Something quite different was said."))
	if !s.board(node).Stale {
		t.Error("the scene has changed, and the board does not say so")
	}
}

// A board whose scene break is gone is listed, and is back with the break.
func TestBoards_KeptWithoutItsBreak(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	want := listed(s.board(node))
	_, err := s.Scenes.SetBreak(s.Chat, node, false)
	enginetest.Must(t, err)
	rows, err := s.Boards.List(s.Chat)
	enginetest.Must(t, err)
	if len(rows) != 1 || !rows[0].Detached || rows[0].Node != node || rows[0].Shots == 0 {
		t.Errorf("%+v", rows)
	}
	if _, err := s.Boards.Board(s.Chat, node); !errors.Is(err, scenes.ErrNoScene) || !strings.Contains(failure.Text(err), "its storyboard is kept") {
		t.Errorf("read: %v", err)
	}
	s.EndWithoutRecap(node)
	s.listIs(node, want)
}

func TestDeleteBoard_OnlyAsked(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	enginetest.Must(t, s.Boards.Delete(s.Chat, node))
	s.Queue.Pause()
	_, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{})
	enginetest.Must(t, err)
	if err := s.Boards.Delete(s.Chat, node); err == nil || !strings.Contains(failure.Text(err), "you can cancel") {
		t.Errorf("deleted: %v", err)
	}
	if v := s.board(node); v.Working == "" {
		t.Error("the plan was cancelled all the same")
	}
}

func TestBoard_WordsTooLong(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	long := strings.Repeat("ä", models.MaxTextLen+1)
	_, err := s.Boards.Steer(s.Chat, node, long)
	_, err2 := s.Boards.Plan(s.Chat, node, boards.PlanRequest{Tool: "suggest_beats", Instruction: long})
	for _, err := range []error{err, err2} {
		if err == nil || !strings.Contains(failure.Text(err), "at most 4000 characters; this one has 4001") {
			t.Errorf("taken: %v", err)
		}
	}
	if v := s.board(node); v.Working != "" {
		t.Errorf("asked for %s", v.Working)
	}
}

func TestDeleteBoard(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	_, err := s.Boards.Steer(s.Chat, node, "darker")
	enginetest.Must(t, err)
	if v := s.board(node); v.Working != boards.Steering {
		t.Errorf("working: %q", v.Working)
	}
	enginetest.Must(t, s.Boards.Delete(s.Chat, node))
	if v := s.board(node); v.Begun || v.Working != "" || s.records() != 0 {
		t.Errorf("%+v, %d records", v, s.records())
	}
	if err := s.Boards.Delete(s.Chat, node); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
	s.Sound()
}

func TestSplitShot(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	v, err := s.Boards.SplitShot(s.Chat, node, "s2", "the door closes")
	enginetest.Must(t, err)
	if listed(v) != "s1 the lamp, s2 the door, s4 the door closes, s3 her hands" || v.Shots[1].Seconds != 2 || v.Shots[2].Seconds != 2 || v.Shots[2].Kind != storage.KeyShot {
		t.Errorf("%+v", v.Shots)
	}
	v, err = s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	if listed(v) != "s1 the lamp, s2 the door, s3 her hands" || v.Shots[1].Seconds != 4 {
		t.Errorf("one undo takes a split back: %+v", v.Shots)
	}
	for _, bad := range [][2]string{{"s9", "x"}, {"s2", " "}} {
		if _, err := s.Boards.SplitShot(s.Chat, node, storage.ShotID(bad[0]), bad[1]); err == nil {
			t.Errorf("split of %q is done", bad)
		}
	}
}

func TestEditBoardPlan(t *testing.T) {
	t.Parallel()
	s, node := scened(t)
	v, err := s.Boards.EditPlan(s.Chat, node, storage.Plan{Beats: []storage.BoardBeat{{Text: "The lamp goes out", Messages: []storage.NodeID{node}}, {Text: "She sees it"}},
		Filler: &storage.FillerStrategy{Amount: "light"}})
	enginetest.Must(t, err)
	if len(v.Beats) != 2 || v.Beats[1].ID != "b2" || v.Filler == nil || v.Done != 2 {
		t.Fatalf("%+v", v)
	}
	p := v.Plan
	p.Beats = []storage.BoardBeat{p.Beats[1], {Text: "She leaves"}}
	p.Budget = []storage.Allotment{{Beat: "b2", Key: 2, Filler: 1, Seconds: 9}}
	v, err = s.Boards.EditPlan(s.Chat, node, p)
	enginetest.Must(t, err)
	if len(v.Beats) != 2 || v.Beats[0].ID != "b2" || v.Beats[1].ID != "b3" || len(v.Budget) != 1 || v.Done != 4 || v.Stage != storage.BoardBudget {
		t.Errorf("%+v", v.Board)
	}
	if _, err := s.Boards.EditPlan(s.Chat, node, v.Plan); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("no change: %v", err)
	}
}
