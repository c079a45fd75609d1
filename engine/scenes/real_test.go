package scenes_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Every job on scenes asks a real server, whose model writes gibberish that
// keeps to the schema: none may break the server, lose anything or be stored in
// another form than a recap has.
func TestReal_ScenesOnARealServer(t *testing.T) {
	url, model := ollamatest.Real(t)
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Model, o.Cfg.Sampling.NumPredict = model, 40 })})
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	a := s.Exchange(6, "lamp")
	run := func(what string, add func() error) {
		t.Helper()
		enginetest.Must(t, add())
		sum, err := s.Queue.Drain(t.Context())
		t.Logf("%s: %d done, %d failed, %v", what, sum.Done, sum.Failed, err)
		s.Sound()
	}
	for _, n := range []storage.NodeID{a[3], a[7]} {
		run("break", func() error { _, err := s.Scenes.SetBreak(s.Chat, n, true); return err })
		for try := 0; s.recapOf(n).Version() == nil && try < 2; try++ { // gibberish may be longer than an answer may be
			run("recap", func() error { _, err := s.Scenes.Recap(s.Chat, n, scenes.RecapRequest{}); return err })
		}
	}
	if v := s.recapOf(a[3]); v.Version() != nil {
		if v.Version().Text == "" {
			t.Error("an empty recap was stored")
		}
		t.Logf("recap of %d bytes, %d sources, %d lore", len(v.Version().Text), len(v.Version().Sources), len(v.Version().Lorebooks))
	}
	t.Logf("running recap: %d versions", len(s.RunningNow().Versions))
	run("message", func() error { _, err := s.Scenes.RecapMessage(s.Chat, a[9], scenes.RecapRequest{}); return err })
	for _, n := range []storage.NodeID{a[3], a[7]} { // one of the two is enough
		if s.recapOf(n).Version() != nil {
			run("recall test", func() error { _, err := s.Scenes.QueueRecallTest(s.Chat, n); return err })
			break
		}
	}
	run("detection", func() error { _, err := s.Scenes.Detect(s.Chat, scenes.DetectRequest{Again: true, Min: 1}); return err })
	s.Say("And now?")
	run("detection after a turn", func() error {
		return s.Core().Store.Update(func(tx *storage.Tx) error {
			_, err := s.Core().Queue.AddOperation(tx, scenes.OpDetect, chats.Params{Chat: s.Chat, Node: s.Last().ID}, nil)
			return err
		})
	})
	ops, err := s.Queue.List()
	enginetest.Must(t, err)
	for _, op := range ops {
		if op.Status != storage.Completed && !strings.Contains(op.Error, "cut off at the length limit") {
			t.Errorf("%s %s: %s", op.Type, op.Status, op.Error)
		}
	}
}
