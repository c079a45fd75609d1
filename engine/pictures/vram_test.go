package pictures_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// phasesOf returns the phases that were told of a capture last.
func (s *harness) phasesOf(id storage.CaptureID) (list []queue.Phase) {
	for _, ev := range s.Seen {
		if p, ok := ev.(queue.Progressed); ok && p.Type == pictures.OpCaptureSend && p.Capture == id {
			list = p.Progress.Phases
		}
	}
	return list
}

func states(list []queue.Phase) (out []queue.PhaseState) {
	for _, s := range list {
		out = append(out, s.State)
	}
	return out
}

const (
	phaseIs, phaseDid, phaseNot = queue.PhaseRunning, queue.PhaseDone, queue.PhaseSkipped
)

func TestVRAM_OnceForARunOfPictures(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.FreeComfy, o.Cfg.Stage.WarmUp = true, true })})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{}) // counts from here
	s.Queue.Pause()
	s.Send(c, enginetest.Small(c))
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		for range 3 {
			again := s.storedIn(tx, c.ID)
			again.ID = storage.CaptureID(storage.NewID())
			if err := storage.Captures.Put(tx, again.ID, again); err != nil {
				return err
			}
			if err := s.Pictures.QueueCapture(tx, pictures.OpCaptureSend, pictures.CaptureParams{Capture: again.ID, Chat: s.Chat}); err != nil {
				return err
			}
		}
		return nil
	}))
	s.Queue.Resume()
	_, err := s.Queue.Drain(s.Context())
	enginetest.Must(t, err)
	list, err := s.Pictures.Captures(s.Chat)
	enginetest.Must(t, err)
	slices.Reverse(list)
	for _, c := range list {
		if c.Status != storage.CaptureCompleted {
			t.Errorf("%+v", c)
		}
	}
	s.Shut() // all news is delivered then
	s.DrainFeed()
	s.Open()
	// What was told last may be lost, as the picture was there before it was heard.
	for i, want := range map[int][]queue.PhaseState{0: {phaseDid, phaseIs, queue.PhasePending}, 3: {phaseNot, phaseIs, queue.PhasePending}} {
		got := states(s.phasesOf(list[i].ID))
		if len(got) != len(want) || !slices.Equal(got[:pictures.PhasePaint], want[:pictures.PhasePaint]) || got[pictures.PhasePaint] < phaseIs {
			t.Errorf("the phases of picture %d: %+v", i, s.phasesOf(list[i].ID))
		}
	}
	if n, freed := s.Unloads(), s.Servers.Comfy.Answered("POST /free"); n != 1 || freed != 1 {
		t.Errorf("unloaded %d times, freed %d times", n, freed)
	}
}

func (s *harness) storedIn(tx *storage.Tx, id storage.CaptureID) storage.Capture {
	c, err := storage.Captures.Get(tx, id)
	enginetest.Must(s.T, err)
	return c
}

func TestVRAM_HoldsBackgroundWorkNotTheUser(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c, other := s.Drafted(pictures.CaptureRequest{}), s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
	s.Send(c, enginetest.Small(c))
	enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
	if loaded(t, s) != 0 {
		t.Error("the language model was not unloaded")
	}
	enginetest.Must(t, s.Pictures.RedoCapturePrompt(other.ID))
	s.Say("But first of all, listen.") // goes at once
	if op := s.operation(other.ID); op.Status != storage.Pending || s.Stored(c.ID).Status != storage.CaptureGenerating {
		t.Errorf("the background work is %s", op.Status)
	}
	enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
	s.SettledAs(other.ID, storage.CaptureDraft)
	if running, pending, err := s.Models.Comfy[0].Queue(s.Context()); running+pending != 0 || err != nil {
		t.Errorf("on the server are left %d and %d, %v", running, pending, err)
	}
	s.Sound()
}

func TestVRAM_NotHeldWhereModelsStay(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	c, other := s.Drafted(pictures.CaptureRequest{}), s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
	s.Send(c, enginetest.Small(c))
	p := enginetest.Until(s.Harness, func(ev queue.Progressed) bool {
		return ev.Capture == c.ID && ev.Progress.Text == "Sampler"
	})
	if got := p.Progress.Phases; got[pictures.PhaseUnload].State != phaseNot || got[pictures.PhasePaint].State != phaseIs {
		t.Errorf("the phases are %+v", got)
	}
	enginetest.Must(t, s.Pictures.RedoCapturePrompt(other.ID))
	s.SettledAs(other.ID, storage.CaptureDraft)
	enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
}

// A reply that begins while models are being unloaded ends that; when it has ended
// they are unloaded after all.
func TestVRAM_TheUserGoesFirst(t *testing.T) {
	t.Parallel()
	asked, free := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) {
		o.Servers.Fault = func(call demo.Call) demo.Fault {
			if call.Path == "/api/chat" && len(call.Messages) == 0 {
				once.Do(func() { close(asked); <-free }) // the server thinks about it
			}
			return demo.Fault{}
		}
	})})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Send(c, enginetest.Small(c))
	select {
	case <-asked:
	case <-s.Context().Done():
		close(free)
		t.Fatal("nothing was unloaded")
	}
	s.Say("Wait.") // in the middle of the unloading
	close(free)
	s.SettledAs(c.ID, storage.CaptureCompleted)
	if loaded(t, s) != 0 {
		t.Errorf("a model is loaded: %+v", s.phasesOf(c.ID))
	}
}

// What cannot be unloaded keeps no picture from being painted.
func TestVRAM_WhatDoesNotWork(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.SpoilBy(func(call demo.Call) demo.Fault { return demo.Fault{Kind: demo.Unavailable} })
	s.Send(c, enginetest.Small(c))
	s.SettledAs(c.ID, storage.CaptureCompleted)
}
