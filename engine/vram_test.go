package engine

import (
	"slices"
	"sync"
	"testing"

	"ghostlight/engine/queue"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// unloads counts the requests that took a model out of memory.
func (s *stage) unloads() (n int) {
	for _, call := range s.house.Calls() {
		if call.Path == "/api/chat" && len(call.Messages) == 0 {
			n++
		}
	}
	return n
}

// stagesOf are the stages that were told of a capture last.
func (s *stage) stagesOf(id storage.CaptureID) (list []queue.Stage) {
	for _, ev := range s.seen {
		if p, ok := ev.(OperationProgress); ok && p.Type == opCaptureSend && p.Capture == id {
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
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.FreeComfy, o.cfg.Stage.WarmUp = true, true })
	c := s.drafted(CaptureRequest{})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{}) // counts from here
	s.QueuePause(true)
	s.send(c, small(c))
	must(t, s.store.Update(func(tx *storage.Tx) error {
		for range 3 {
			again := s.storedIn(tx, c.ID)
			again.ID = storage.CaptureID(storage.NewID())
			if err := storage.Captures.Put(tx, again.ID, again); err != nil {
				return err
			}
			if err := s.addCapture(tx, opCaptureSend, captureParams{Capture: again.ID, Chat: s.chat}); err != nil {
				return err
			}
		}
		return nil
	}))
	s.QueuePause(false)
	_, err := s.QueueDrain(s.context())
	must(t, err)
	list, err := s.Captures(s.chat)
	must(t, err)
	slices.Reverse(list)
	for _, c := range list {
		if c.Status != storage.CaptureCompleted {
			t.Errorf("%+v", c)
		}
	}
	s.close() // all news is delivered then
	s.drainFeed()
	s.open()
	// What was told last may be lost, as the picture was there before it was heard.
	for i, want := range map[int][]queue.StageState{0: {stageDid, stageDid, stageDid, stageIs, queue.StageAhead, queue.StageAhead},
		3: {stageDid, stageNot, stageNot, stageIs, queue.StageAhead, queue.StageAhead}} {
		got := states(s.stagesOf(list[i].ID))
		if len(got) != len(want) || !slices.Equal(got[:stagePaint], want[:stagePaint]) || got[stagePaint] < stageIs {
			t.Errorf("the stages of picture %d: %+v", i, s.stagesOf(list[i].ID))
		}
	}
	if n, freed := s.unloads(), s.house.Comfy.Answered("POST /free"); n != 1 || freed != 1 {
		t.Errorf("unloaded %d times, freed %d times", n, freed)
	}
}

func (s *stage) storedIn(tx *storage.Tx, id storage.CaptureID) storage.Capture {
	c, err := storage.Captures.Get(tx, id)
	must(s.t, err)
	return c
}

func TestVRAM_HoldsBackgroundWorkNotTheUser(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c, other := s.drafted(CaptureRequest{}), s.drafted(CaptureRequest{})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	s.send(c, small(c))
	until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
	if loaded(t, s) != 0 {
		t.Error("the language model was not unloaded")
	}
	must(t, s.RedoCapturePrompt(other.ID))
	s.say("But first of all, listen.") // goes at once
	if op := s.operation(other.ID); op.Status != storage.Pending || s.stored(c.ID).Status != storage.CaptureGenerating {
		t.Errorf("the background work is %s", op.Status)
	}
	must(t, s.CancelCapture(c.ID))
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
	s.settledAs(other.ID, storage.CaptureDraft)
	if running, pending, err := s.comfy[0].Queue(s.context()); running+pending != 0 || err != nil {
		t.Errorf("on the server are left %d and %d, %v", running, pending, err)
	}
	s.sound()
}

func TestVRAM_NotHeldWhereNobodyWantsThat(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*VRAMConfig){
		"no hold":        func(v *VRAMConfig) { v.NoHold, v.NoVerify = true, true },
		"nothing at all": func(v *VRAMConfig) { v.KeepOllama = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t, func(o *setup) { change(&o.cfg.VRAM) })
			c, other := s.drafted(CaptureRequest{}), s.drafted(CaptureRequest{})
			s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
			s.send(c, small(c))
			p := until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
			if p.Progress.Stages[stageVerify].State != stageNot || p.Progress.Stages[stagePaint].State != stageIs {
				t.Errorf("the stages are %+v", p.Progress.Stages)
			}
			must(t, s.RedoCapturePrompt(other.ID))
			s.settledAs(other.ID, storage.CaptureDraft)
			must(t, s.CancelCapture(c.ID))
		})
	}
}

// A reply that begins while models are being unloaded ends that; when it has ended
// they are unloaded after all.
func TestVRAM_TheUserGoesFirst(t *testing.T) {
	t.Parallel()
	asked, free := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := newStudio(t, func(o *setup) {
		o.house.Fault = func(call rehearsal.Call) rehearsal.Fault {
			if call.Path == "/api/chat" && len(call.Messages) == 0 {
				once.Do(func() { close(asked); <-free }) // the server thinks about it
			}
			return rehearsal.Fault{}
		}
	})
	c := s.drafted(CaptureRequest{})
	s.send(c, small(c))
	select {
	case <-asked:
	case <-s.context().Done():
		close(free)
		t.Fatal("nothing was unloaded")
	}
	s.say("Wait.") // in the middle of the unloading
	close(free)
	s.settledAs(c.ID, storage.CaptureCompleted)
	if loaded(t, s) != 0 {
		t.Errorf("a model is loaded: %+v", s.stagesOf(c.ID))
	}
}

// What cannot be unloaded keeps no picture from being painted.
func TestVRAM_WhatDoesNotWork(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	s.spoilBy(func(call rehearsal.Call) rehearsal.Fault { return rehearsal.Fault{Kind: rehearsal.Unavailable} })
	s.send(c, small(c))
	s.settledAs(c.ID, storage.CaptureCompleted)
}

func TestVRAM_WarmAfter(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{false, true} {
		s, _ := warming(t, func(o *setup) { o.cfg.VRAM.NoWarm = cold })
		must(t, s.Start())
		s.look(s.chat)
		before := len(s.readAhead())
		c := s.drafted(CaptureRequest{Requested: "the rope"})
		s.settledAs(s.send(c, small(c)).ID, storage.CaptureCompleted)
		if cold {
			if s.modelFree() {
				t.Error("the prompt would be read again")
			}
			s.say("And on.")
			if !s.leftCold() {
				continue
			}
			t.Error("after the user's turn it is still cold")
			continue
		}
		must(t, eventually(s, func() bool { return len(s.readAhead()) > before && s.unloads() > 0 }))
	}
}
