package pictures_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A real server is asked whether a message wants a picture, what it shows, and to
// give its memory back. Its model writes gibberish that keeps to the schema, or is
// cut off: whatever comes, each request ends as a draft or says why not.
func TestReal_PicturesOnARealServer(t *testing.T) {
	url, model := ollamatest.Real(t)
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Model, o.Cfg.Sampling.NumPredict = model, 24
		o.Cfg.Images.Off = false
		o.Cfg.Stage.WarmUp, o.Cfg.VRAM.FreeComfy = true, true
	})})
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	who, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Tove", Description: strings.Repeat("the stage light ", 150), FirstMessage: "Wait."}, Immersion: storage.Full})
	enginetest.Must(t, err)
	chat, err := s.Chats.New(who.ID, "")
	enginetest.Must(t, err)
	s.Chat = chat.ID
	_, err = s.Models.SaveProfile(t.Context(), storage.Profile{Name: "brief", NumPredict: 24})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Models.AssignProfile(models.JobCapture, "brief"))
	greeting := s.Last().ID
	for s.Last().ID == greeting || s.Last().Role != storage.Assistant { // a model of random weights sometimes says nothing at all
		_, err := s.Play.Send(s.Chat, "Show me a picture of you, please.")
		enginetest.Must(t, err)
		_, err = s.Play.Wait(t.Context(), s.Chat)
		t.Logf("the turn: %v", err)
	}
	wanted, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{Requested: "the lamp"})
	enginetest.Must(t, err)
	_, err = s.Pictures.Capture(s.Chat, pictures.CaptureRequest{Kind: "video"})
	enginetest.Must(t, err)
	sum, err := s.Queue.Drain(t.Context())
	t.Logf("%d done, %d failed, %v", sum.Done, sum.Failed, err)
	ops, err := s.Queue.List()
	enginetest.Must(t, err)
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
	s.Sound()

	if loaded(t, s) == 0 {
		t.Fatal("no model is loaded")
	}
	enginetest.Must(t, s.Start())
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
	edit := pictures.CaptureEdit{ImagePrompt: "A lamp on an empty stage.", Width: 64, Height: 64}
	s.Send(wanted, edit)
	p := enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == wanted.ID && ev.Progress.Text == "Sampler" })
	if n, got := loaded(t, s), states(p.Progress.Phases); n != 0 || !slices.Equal(got[:pictures.PhasePaint], []queue.PhaseState{phaseDid}) {
		t.Errorf("%d models are loaded while it is painted; the phases: %+v", n, p.Progress.Phases)
	}
	enginetest.Must(t, s.Pictures.CancelCapture(wanted.ID))
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
	s.Play.EnterChat(s.Chat)
	s.Send(s.Stored(wanted.ID), edit)
	s.SettledAs(wanted.ID, storage.CaptureCompleted)
	tick := time.NewTicker(pictures.GonePause)
	defer tick.Stop()
	for late := time.After(enginetest.Patience); loaded(t, s) == 0; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the chat's prompt is not read again")
		}
	}
}

// The whole answer of a real model about a picture: what of it can be used is in the log. Whatever
// it says, the capture ends as a draft with a prompt, or says why not.
func TestReal_ACaptureAnswer(t *testing.T) {
	url, _ := ollamatest.Real(t)
	model := os.Getenv("GHOSTLIGHT_TEST_SMALL_MODEL")
	if model == "" || os.Getenv("GHOSTLIGHT_TEST_LONG") == "" {
		t.Skip("NOT TESTED: it takes minutes, and wants GHOSTLIGHT_TEST_LONG and GHOSTLIGHT_TEST_SMALL_MODEL")
	}
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Model, o.Cfg.Sampling.NumCtx = model, 4096
	})})
	s.Tell("*Tove lifts the lamp and wipes the soot off its glass.* \"There. Now we see where we step.\"",
		"*I take the coil of rope from the hook and follow her out onto the pier.*")
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	for _, r := range []pictures.CaptureRequest{{Requested: "Tove on the pier, from below"}} {
		c, err := s.Pictures.Capture(s.Chat, r)
		enginetest.Must(t, err)
		began := time.Now()
		_, err = s.Queue.Drain(t.Context())
		c = s.Stored(c.ID)
		t.Logf("%q: %s after %s, %v\nerror %q\nwarnings %q\nprompt %q", r.Requested, c.Status, time.Since(began).Round(time.Second),
			err, c.Error, c.Warnings, c.Prompt)
		if c.Wrote != nil {
			t.Logf("in view %q, says %q, notes %q, shows %+v", c.Wrote.InView, c.Wrote.Says, c.Wrote.Notes, c.Wrote.Shows)
		}
		ops, err := s.Queue.List()
		enginetest.Must(t, err)
		t.Logf("the answer: %s", ops[len(ops)-1].Result)
		if (c.Status != storage.CaptureDraft || c.Prompt == "") && (c.Status != storage.CaptureFailed || c.Error == "") {
			t.Errorf("left as %+v", c)
		}
	}
	s.Sound()
}
