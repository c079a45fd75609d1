package pictures_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A fault inside the program while a picture is painted keeps nobody off the
// language model.
func TestPictures_APanicLetsGo(t *testing.T) {
	t.Parallel()
	for _, at := range []int{pictures.PhaseUnload, pictures.PhasePaint} {
		s := (&harness{enginetest.NewStudio(t)})
		c, other := s.Drafted(pictures.CaptureRequest{}), s.Drafted(pictures.CaptureRequest{})
		kinds := s.Pictures.Kinds()
		send := kinds[slices.IndexFunc(kinds, func(k queue.Kind) bool { return k.Type == pictures.OpCaptureSend })]
		send.Run = func(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
			return pictures.RunCaptureSend(s.Pictures, ctx, op, func(p queue.Progress) {
				if report(p); p.Phases[at].State == queue.PhaseRunning {
					panic("of a test")
				}
			})
		}
		s.Core().Queue.Register(send)
		s.Send(c, enginetest.Small(c))
		s.SettledAs(c.ID, storage.CaptureFailed)
		if n, at := pictures.Painting(s.Pictures); n != 0 || len(at) != 0 {
			t.Errorf("%d pictures are painted, at %v", n, at)
		}
		enginetest.Must(t, s.Pictures.RedoCapturePrompt(other.ID))
		s.SettledAs(other.ID, storage.CaptureDraft)
	}
}

// What waits for its server was not painted, and nothing says so.
func TestPictures_WhatWaitsWasNotPainted(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Queue.Pause()
	s.Send(c, enginetest.Small(c))
	var err error
	s.Models.Comfy[0], err = comfy.New(nowhere)
	enginetest.Must(t, err)
	eff, err := pictures.RunCaptureSend(s.Pictures, s.Context(), s.operation(c.ID), func(p queue.Progress) {
		if p.Phases[pictures.PhasePaint].State == queue.PhaseDone {
			t.Errorf("told: %+v", p.Phases)
		}
	})
	if err != nil || eff.Apply == nil {
		t.Errorf("%+v, %v", eff, err)
	}
}

// Whatever ends a picture: the words say what happened and what is kept.
func TestPictures_FailureMessages(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	s.hurry()
	c := s.Drafted(pictures.CaptureRequest{})
	for _, tt := range []struct {
		fault injected
		want  string
	}{
		{injected{"GET /view", demo.ComfyDrop, 1, true}, "Retry it in the queue"},
		{injected{"GET /view", demo.ComfyMissing, 1, true}, pictures.PromptKept},
		{injected{"POST /prompt", demo.ComfyMissing, 1, true}, pictures.PromptKept},
	} {
		s.Servers.Comfy.SetFaults(demo.ComfyFaults{Script: tt.fault.script})
		sent := s.SettledAs(s.Send(c, enginetest.Small(c)).ID, storage.CaptureFailed)
		if n := strings.Count(sent.Error, tt.want); n != 1 || !strings.HasSuffix(sent.Error, ".") {
			t.Errorf("%s: %q", tt.fault, sent.Error)
		}
	}
	if got := failure.Text(&failure.KeptError{Err: failure.Wrap("keep picture", fmt.Errorf("it is none")), Kept: pictures.PromptKept}); got != "it is none. "+pictures.PromptKept {
		t.Errorf("%q", got)
	}
}

// One of several servers is enough.
func TestProbe_SeveralPainters(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	there := s.Cfg.Comfy[0]
	s.Shut()
	s.Cfg.Comfy = []string{nowhere, there}
	s.Open()
	got := s.Models.Probe(s.Context()).Comfy
	if !got.Up || got.URL != there || got.Err == "" {
		t.Errorf("%+v", got)
	}
	s.Shut()
	s.Cfg.Comfy = []string{nowhere}
	s.Open()
	if got := s.Models.Probe(s.Context()).Comfy; got.Up || got.URL != nowhere || got.Err == "" {
		t.Errorf("%+v", got)
	}
	s.Shut()
	s.Cfg.Comfy = []string{there, nowhere, there + "/"}
	s.Open()
	if len(s.Models.Comfy) != 2 {
		t.Errorf("there are %d servers", len(s.Models.Comfy))
	}
}

// An operation that is retried while a newer one is to paint the same capture does
// not paint it as well, and nothing is hung twice.
func TestPictures_OneOfTwoOperationsPaints(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Queue.Pause()
	s.Send(c, enginetest.Small(c))
	first := s.operation(c.ID)
	enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
	s.Send(c, enginetest.Small(c))
	enginetest.Must(t, s.Queue.Retry(first.ID))
	if _, err := pictures.RunCaptureSend(s.Pictures, s.Context(), first, func(queue.Progress) {}); !errors.Is(err, queue.ErrDiscard) {
		t.Errorf("the older one: %v", err)
	}
	s.Queue.Resume()
	done := s.SettledAs(c.ID, storage.CaptureCompleted)
	if err := s.Core().Store.Update(s.Pictures.AddToChat(done)); !errors.Is(err, queue.ErrDiscard) {
		t.Errorf("hung again: %v", err)
	}
	if n := s.Hung(c.ID); n != 1 || len(s.Files()) != 2 {
		t.Errorf("it hangs %d times, with %v", n, s.Files())
	}
}
