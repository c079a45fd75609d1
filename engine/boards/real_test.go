package boards_test

import (
	"errors"
	"os"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Every job on storyboards and taste asks a real server, by tool calling too. Its
// model writes gibberish that keeps to the schema: whatever that comes to, the
// user's shots are either changed by calls that can be taken back, or as they were.
func TestReal_BoardsOnARealServer(t *testing.T) {
	url, _ := ollamatest.Real(t)
	for _, name := range []string{"GHOSTLIGHT_TEST_MODEL", "GHOSTLIGHT_TEST_TOOLS_MODEL"} {
		model := os.Getenv(name)
		if model == "" {
			t.Logf("NOT TESTED: %s is not set", name)
			continue
		}
		s, node := drawn(t, func(o *enginetest.Setup) { o.Cfg.Model, o.Cfg.Sampling.NumPredict, o.Cfg.Taste.Off = model, 40, true })
		s.Shut()
		s.Cfg.Ollama = url
		s.Open()
		_, err := s.Models.SaveProfile(t.Context(), storage.Profile{Name: "short", NumPredict: 300})
		enginetest.Must(t, err)
		for _, kind := range []models.JobKind{models.JobBoard, models.JobTaste} {
			enginetest.Must(t, s.Models.AssignProfile(kind, "short"))
		}
		was := s.board(node)
		run := func(what string, add func() (storage.OperationID, error)) {
			t.Helper()
			id, err := add()
			enginetest.Must(t, err)
			if _, err := s.Queue.Drain(t.Context()); err != nil && !errors.Is(err, queue.ErrFailed) {
				t.Fatal(err)
			}
			var op storage.Operation
			enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) (err error) { op, err = storage.Operations.Get(tx, id); return err }))
			t.Logf("%s with %s: %s %s %s", what, model, op.Status, op.Error, op.Result)
			if op.Status != storage.Completed && op.Error == "" {
				t.Errorf("%s ended without a word: %s", what, op.Status)
			}
			s.Sound()
		}
		run("beats", func() (storage.OperationID, error) {
			return s.Boards.Plan(s.Chat, node, boards.PlanRequest{Tool: storyboard.RecommendBeats})
		})
		run("steering", func() (storage.OperationID, error) { return s.Boards.Steer(s.Chat, node, "shot 2 closer") })
		for s.board(node).Done > was.Done {
			_, err := s.Boards.Undo(s.Chat, node)
			enginetest.Must(t, err)
		}
		if got, want := listed(s.board(node)), listed(was); got != want {
			t.Errorf("after undo there is %q, want %q", got, want)
		}
		_, err = s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s2", "seconds": 9}), enginetest.Call(t, storyboard.ConfirmShots, nil))
		enginetest.Must(t, err)
		run("harvest", func() (storage.OperationID, error) { return s.Taste.Harvest(s.Chat, node) })
	}
}
