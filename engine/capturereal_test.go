package engine

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/queue"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// A real server is asked whether a message wants a picture, what it shows, and to
// give its memory back. Its model writes gibberish that keeps to the schema, or is
// cut off: whatever comes, each request ends as a draft or says why not.
func TestReal_PicturesOnARealServer(t *testing.T) {
	url, model := os.Getenv("GHOSTLIGHT_TEST_OLLAMA"), os.Getenv("GHOSTLIGHT_TEST_MODEL")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./engine`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	if model == "" {
		model = "tiny"
	}
	s := newStage(t, func(o *setup) {
		o.cfg.Model, o.cfg.Sampling.NumPredict = model, 24
		o.cfg.Stage.WarmUp, o.cfg.VRAM.FreeComfy = true, true
	})
	s.close()
	s.cfg.Ollama, s.cfg.Stage.EmbedModel = url, model
	s.open()
	who, err := s.SaveCharacter(storage.Character{Card: storage.Card{Name: "Tove", Description: strings.Repeat("the stage light ", 150), FirstMessage: "Wait."}, Immersion: storage.Full})
	must(t, err)
	chat, err := s.NewChat(who.ID, "")
	must(t, err)
	s.chat = chat.ID
	_, err = s.SaveProfile(t.Context(), storage.Profile{Name: "brief", NumPredict: 24})
	must(t, err)
	must(t, s.AssignProfile(JobCapture, "brief"))
	v, err := s.ollama.Embed(t.Context(), model, []string{"Show me a picture of you."})
	t.Logf("embedding: %d vectors, %v", len(v), err)
	for asked := 0; asked == 0; asked, _ = s.operationsOf(opIntent) { // a model of random weights sometimes says nothing at all
		_, err := s.Send(s.chat, "Show me a picture of you, please.")
		must(t, err)
		_, err = s.Wait(t.Context(), s.chat)
		t.Logf("the turn: %v", err)
	}
	wanted, err := s.Capture(s.chat, CaptureRequest{Requested: "the lamp"})
	must(t, err)
	_, err = s.Capture(s.chat, CaptureRequest{Kind: "video"})
	must(t, err)
	sum, err := s.QueueDrain(t.Context())
	t.Logf("%d done, %d failed, %v", sum.Done, sum.Failed, err)
	ops, err := s.Operations()
	must(t, err)
	for _, op := range ops {
		t.Logf("%s %s %.200s %s", op.Type, op.Status, op.Result, op.Error)
		if op.Status != storage.Completed && (op.Status != storage.Failed || op.Error == "") {
			t.Errorf("%s is left %s", op.Type, op.Status)
		}
	}
	for _, c := range s.pictures() {
		if (c.Status != storage.CaptureDraft || c.Prompt == "") && (c.Status != storage.CaptureFailed || c.Error == "") {
			t.Errorf("left as %+v", c)
		}
	}
	s.sound()

	if loaded(t, s) == 0 {
		t.Fatal("no model is loaded")
	}
	must(t, s.Start())
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	edit := CaptureEdit{ImagePrompt: "A lamp on an empty stage.", Width: 64, Height: 64}
	s.send(wanted, edit)
	p := until(s, func(ev OperationProgress) bool { return ev.Capture == wanted.ID && ev.Progress.Text == "Sampler" })
	if n, got := loaded(t, s), states(p.Progress.Stages); n != 0 || !slices.Equal(got[:stagePaint], []queue.StageState{stageDid, stageDid, stageDid}) {
		t.Errorf("%d models are loaded while it is painted; the stages: %+v", n, p.Progress.Stages)
	}
	must(t, s.CancelCapture(wanted.ID))
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
	s.Entered(s.chat)
	s.send(s.stored(wanted.ID), edit)
	s.settledAs(wanted.ID, storage.CaptureCompleted)
	tick := time.NewTicker(gonePause)
	defer tick.Stop()
	for late := time.After(patience); loaded(t, s) == 0; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the chat's prompt is not read again")
		}
	}
}
