package engine

import (
	"errors"
	"os"
	"testing"

	"ghostlight/engine/boards/storyboard"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// Every job on storyboards and taste asks a real server, by tool calling too. Its
// model writes gibberish that keeps to the schema: whatever that comes to, the
// user's shots are either changed by calls that can be taken back, or as they were.
func TestReal_BoardsOnARealServer(t *testing.T) {
	url := os.Getenv("GHOSTLIGHT_TEST_OLLAMA")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./engine`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	for _, name := range []string{"GHOSTLIGHT_TEST_MODEL", "GHOSTLIGHT_TEST_TOOLS_MODEL"} {
		model := os.Getenv(name)
		if model == "" {
			t.Logf("NOT TESTED: %s is not set", name)
			continue
		}
		s, node := drawn(t, func(o *setup) { o.cfg.Model, o.cfg.Sampling.NumPredict, o.cfg.Taste.Off = model, 40, true })
		s.close()
		s.cfg.Ollama = url
		s.open()
		_, err := s.SaveProfile(t.Context(), storage.Profile{Name: "short", NumPredict: 300})
		must(t, err)
		for _, kind := range []JobKind{JobBoard, JobTaste} {
			must(t, s.AssignProfile(kind, "short"))
		}
		was := s.board(node)
		run := func(what string, add func() (storage.OperationID, error)) {
			t.Helper()
			id, err := add()
			must(t, err)
			if _, err := s.QueueDrain(t.Context()); err != nil && !errors.Is(err, queue.ErrFailed) {
				t.Fatal(err)
			}
			var op storage.Operation
			must(t, s.store.View(func(tx *storage.Tx) (err error) { op, err = storage.Operations.Get(tx, id); return err }))
			t.Logf("%s with %s: %s %s %s", what, model, op.Status, op.Error, op.Result)
			if op.Status != storage.Completed && op.Error == "" {
				t.Errorf("%s ended without a word: %s", what, op.Status)
			}
			s.sound()
		}
		run("beats", func() (storage.OperationID, error) {
			return s.PlanBoard(s.chat, node, PlanRequest{Tool: storyboard.RecommendBeats})
		})
		run("steering", func() (storage.OperationID, error) { return s.SteerBoard(s.chat, node, "shot 2 closer") })
		for s.board(node).Done > was.Done {
			_, err := s.UndoBoard(s.chat, node)
			must(t, err)
		}
		if got, want := listed(s.board(node)), listed(was); got != want {
			t.Errorf("after undo there is %q, want %q", got, want)
		}
		_, err = s.CallBoard(s.chat, node, call(t, storyboard.ModifyShot, map[string]any{"shot": "s2", "seconds": 9}), call(t, storyboard.ConfirmShots, nil))
		must(t, err)
		run("harvest", func() (storage.OperationID, error) { return s.HarvestScene(s.chat, node) })
	}
}
