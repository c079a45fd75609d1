package pictures_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stagesOf are the stages that were told of a capture last.
func (s *stage) stagesOf(id storage.CaptureID) (list []queue.Stage) {
	for _, ev := range s.Seen {
		if p, ok := ev.(queue.Progressed); ok && p.Type == pictures.OpCaptureSend && p.Capture == id {
			list = p.Progress.Stages
		}
	}
	return list
}

func states(list []queue.Stage) (out []queue.StageState) {
	for _, s := range list {
		out = append(out, s.State)
	}
	return out
}

const (
	stageIs, stageDid, stageNot = queue.StageNow, queue.StageDone, queue.StageSkipped
)

func TestVRAM_OnceForARunOfPictures(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.FreeComfy, o.Cfg.Stage.WarmUp = true, true })})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(rehearsal.ComfyFaults{}) // counts from here
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
	for i, want := range map[int][]queue.StageState{0: {stageDid, stageIs, queue.StageAhead}, 3: {stageNot, stageIs, queue.StageAhead}} {
		got := states(s.stagesOf(list[i].ID))
		if len(got) != len(want) || !slices.Equal(got[:pictures.StagePaint], want[:pictures.StagePaint]) || got[pictures.StagePaint] < stageIs {
			t.Errorf("the stages of picture %d: %+v", i, s.stagesOf(list[i].ID))
		}
	}
	if n, freed := s.Unloads(), s.Servers.Comfy.Answered("POST /free"); n != 1 || freed != 1 {
		t.Errorf("unloaded %d times, freed %d times", n, freed)
	}
}

func (s *stage) storedIn(tx *storage.Tx, id storage.CaptureID) storage.Capture {
	c, err := storage.Captures.Get(tx, id)
	enginetest.Must(s.T, err)
	return c
}

func TestVRAM_HoldsBackgroundWorkNotTheUser(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t)})
	c, other := s.Drafted(pictures.CaptureRequest{}), s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	s.Send(c, enginetest.Small(c))
	enginetest.Until(s.Stage, func(ev queue.Progressed) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
	if loaded(t, s) != 0 {
		t.Error("the language model was not unloaded")
	}
	enginetest.Must(t, s.Pictures.RedoCapturePrompt(other.ID))
	s.Say("But first of all, listen.") // goes at once
	if op := s.operation(other.ID); op.Status != storage.Pending || s.Stored(c.ID).Status != storage.CaptureGenerating {
		t.Errorf("the background work is %s", op.Status)
	}
	enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
	s.Servers.Comfy.SetFaults(rehearsal.ComfyFaults{})
	s.SettledAs(other.ID, storage.CaptureDraft)
	if running, pending, err := s.Models.Comfy[0].Queue(s.Context()); running+pending != 0 || err != nil {
		t.Errorf("on the server are left %d and %d, %v", running, pending, err)
	}
	s.Sound()
}

func TestVRAM_NotHeldWhereModelsStay(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	c, other := s.Drafted(pictures.CaptureRequest{}), s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	s.Send(c, enginetest.Small(c))
	p := enginetest.Until(s.Stage, func(ev queue.Progressed) bool {
		return ev.Capture == c.ID && ev.Progress.Text == "Sampler"
	})
	if got := p.Progress.Stages; got[pictures.StageUnload].State != stageNot || got[pictures.StagePaint].State != stageIs {
		t.Errorf("the stages are %+v", got)
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
	s := (&stage{enginetest.NewStudio(t, func(o *enginetest.Setup) {
		o.Servers.Fault = func(call rehearsal.Call) rehearsal.Fault {
			if call.Path == "/api/chat" && len(call.Messages) == 0 {
				once.Do(func() { close(asked); <-free }) // the server thinks about it
			}
			return rehearsal.Fault{}
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
		t.Errorf("a model is loaded: %+v", s.stagesOf(c.ID))
	}
}

// What cannot be unloaded keeps no picture from being painted.
func TestVRAM_WhatDoesNotWork(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.SpoilBy(func(call rehearsal.Call) rehearsal.Fault { return rehearsal.Fault{Kind: rehearsal.Unavailable} })
	s.Send(c, enginetest.Small(c))
	s.SettledAs(c.ID, storage.CaptureCompleted)
}
