package engine

import (
	"os"
	"testing"

	"ghostlight/storage"
)

// Every job on scenes asks a real server, whose model writes gibberish that
// keeps to the schema: none may break the server, lose anything or be stored in
// another form than a recap has.
func TestReal_ScenesOnARealServer(t *testing.T) {
	url := os.Getenv("GHOSTLIGHT_TEST_OLLAMA")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test ./engine`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	model := os.Getenv("GHOSTLIGHT_TEST_MODEL")
	if model == "" {
		model = "tiny"
	}
	s := newStage(t, func(o *setup) { o.cfg.Model, o.cfg.Sampling.NumPredict = model, 40 })
	s.close()
	s.cfg.Ollama = url
	s.open()
	a := s.exchange(6, "lamp")
	run := func(what string, add func() error) {
		t.Helper()
		must(t, add())
		sum, err := s.QueueDrain(t.Context())
		t.Logf("%s: %d done, %d failed, %v", what, sum.Done, sum.Failed, err)
		s.sound()
	}
	for _, n := range []storage.NodeID{a[3], a[7]} {
		run("recap", func() error {
			if _, err := s.SetBreak(s.chat, n, true); err != nil {
				return err
			}
			_, err := s.RecapScene(s.chat, n, RecapRequest{})
			return err
		})
	}
	if v := s.recapOf(a[3]); v.Version() == nil {
		t.Error("the first scene has no recap")
	} else {
		t.Logf("recap of %d bytes, %d sources, %d lore", len(v.Version().Text), len(v.Version().Sources), len(v.Version().Lorebooks))
	}
	t.Logf("running recap: %d versions", len(s.runningNow().Versions))
	run("message", func() error { _, err := s.RecapMessage(s.chat, a[9], RecapRequest{}); return err })
	if s.recapOf(a[3]).Version() != nil {
		run("exam", func() error { _, err := s.Examine(s.chat, a[3]); return err })
	}
	run("detection", func() error { _, err := s.DetectScenes(s.chat, DetectRequest{Again: true, Min: 1}); return err })
	s.say("And now?")
	run("detection after a turn", func() error {
		return s.store.Update(func(tx *storage.Tx) error {
			_, err := s.addWork(tx, opDetect, sceneParams{Chat: s.chat, Node: s.last().ID}, nil)
			return err
		})
	})
	ops, err := s.Operations()
	must(t, err)
	for _, op := range ops {
		if op.Status != storage.Completed {
			t.Logf("%s %s: %s", op.Type, op.Status, op.Error)
		}
	}
}
