package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/comfy"
	"ghostlight/engine/queue"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// A fault inside the program while a picture is painted keeps nobody off the
// language model.
func TestEasel_APanicLetsGo(t *testing.T) {
	t.Parallel()
	for _, at := range []int{stageUnload, stagePaint} {
		s := newStudio(t)
		c, other := s.drafted(CaptureRequest{}), s.drafted(CaptureRequest{})
		s.queue.Register(opCaptureSend, func(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
			return s.runCaptureSend(ctx, op, func(p queue.Progress) {
				if report(p); p.Stages[at].State == queue.StageNow {
					panic("of a test")
				}
			})
		})
		s.send(c, small(c))
		s.settledAs(c.ID, storage.CaptureFailed)
		s.easel.mu.Lock()
		if n := s.easel.running; n != 0 || len(s.easel.at) != 0 {
			t.Errorf("%d pictures are painted, at %v", n, s.easel.at)
		}
		s.easel.mu.Unlock()
		must(t, s.RedoCapturePrompt(other.ID))
		s.settledAs(other.ID, storage.CaptureDraft)
	}
}

// What waits for its server was not painted, and nothing says so.
func TestEasel_WhatWaitsWasNotPainted(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	s.QueuePause(true)
	s.send(c, small(c))
	var err error
	s.comfy[0], err = comfy.New(nowhere)
	must(t, err)
	eff, err := s.runCaptureSend(s.context(), s.operation(c.ID), func(p queue.Progress) {
		if p.Stages[stagePaint].State == queue.StageDone {
			t.Errorf("told: %+v", p.Stages)
		}
	})
	if err != nil || eff.Apply == nil {
		t.Errorf("%+v, %v", eff, err)
	}
}

// A paused queue goes on with what runs: nothing is read ahead beside a picture.
func TestEasel_NothingIsReadAheadWhilePaused(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	s.send(c, small(c))
	until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
	s.QueuePause(true)
	if s.modelFree() {
		t.Error("a prompt would be read beside the picture")
	}
	must(t, s.CancelCapture(c.ID))
	must(t, eventually(s, s.modelFree))
}

func TestLingering(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		models []string
		want   string
	}{
		{nil, "the server did not say in time whether they are gone"},
		{[]string{"a"}, "a is still in memory; ComfyUI may have too little"},
		{[]string{"a", "b"}, "a, b are still in memory; ComfyUI may have too little"},
	} {
		if got := lingering(tt.models); got != tt.want {
			t.Errorf("%v: %q", tt.models, got)
		}
	}
}

// A server that tells of steps and not of their node tells nothing about the time.
func TestClock_StepsOfNoNode(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	c := clock{took: map[string]time.Duration{}, start: now}
	if got := c.left(now, jobStand{Step: 5, Of: 10}); got != 0 {
		t.Errorf("it will take %s", got)
	}
}

// The shortest queue counts, whoever made it so; pictures that are on their way to
// a server count there already.
func TestChooseServer(t *testing.T) {
	t.Parallel()
	server := func(jobs int) *comfy.Client {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"queue_running":[],"queue_pending":[`)
			for i := range jobs {
				if i > 0 {
					_, _ = fmt.Fprint(w, ",")
				}
				_, _ = fmt.Fprintf(w, `[%d,"somebody's"]`, i)
			}
			_, _ = fmt.Fprint(w, `]}`)
		}))
		t.Cleanup(h.Close)
		c, err := comfy.New(h.URL)
		must(t, err)
		t.Cleanup(c.Close)
		return c
	}
	for _, tt := range []struct {
		jobs, ours []int
		want       int
	}{
		{[]int{0, 0}, []int{0, 0}, 0},
		{[]int{1, 0}, []int{0, 0}, 1},
		{[]int{0, 0}, []int{1, 0}, 1},
		{[]int{1, 20}, []int{1, 0}, 0}, // others have filled the second one
		{[]int{2, 2}, []int{1, 0}, 1},
		{[]int{3, 1, 2}, []int{0, 1, 0}, 1},
	} {
		s := newStage(t)
		s.comfy, s.easel.at = nil, map[*comfy.Client]int{}
		for i, n := range tt.jobs {
			c := server(n)
			s.comfy = append(s.comfy, c)
			s.easel.at[c] = tt.ours[i]
		}
		got, err := s.chooseServer(s.context(), &seat{}, "", false)
		if err != nil || got != s.comfy[tt.want] {
			t.Errorf("%v with %v of ours: not the one at %d, %v", tt.jobs, tt.ours, tt.want, err)
		}
	}
}

// Whatever ends a picture: the words say what happened and what is kept.
func TestEasel_WordsOfFailures(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	s.hurry()
	c := s.drafted(CaptureRequest{})
	for _, tt := range []struct {
		fault injected
		want  string
	}{
		{injected{"GET /view", rehearsal.ComfyDrop, 1, true}, "Retry it in the queue"},
		{injected{"GET /view", rehearsal.ComfyMissing, 1, true}, promptKept},
		{injected{"POST /prompt", rehearsal.ComfyMissing, 1, true}, promptKept},
	} {
		s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Script: tt.fault.script})
		sent := s.settledAs(s.send(c, small(c)).ID, storage.CaptureFailed)
		if n := strings.Count(sent.Error, tt.want); n != 1 || !strings.HasSuffix(sent.Error, ".") {
			t.Errorf("%s: %q", tt.fault, sent.Error)
		}
	}
	if got := Words(&keptError{fail("keep picture", fmt.Errorf("it is none")), promptKept}); got != "it is none. "+promptKept {
		t.Errorf("%q", got)
	}
}

// One of several servers is enough.
func TestProbe_SeveralPainters(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	there := s.cfg.Comfy[0]
	s.close()
	s.cfg.Comfy = []string{nowhere, there}
	s.open()
	got := s.Probe(s.context()).Comfy
	if !got.Up || got.URL != there || got.Err == "" {
		t.Errorf("%+v", got)
	}
	s.close()
	s.cfg.Comfy = []string{nowhere}
	s.open()
	if got := s.Probe(s.context()).Comfy; got.Up || got.URL != nowhere || got.Err == "" {
		t.Errorf("%+v", got)
	}
	s.close()
	s.cfg.Comfy = []string{there, nowhere, there + "/"}
	s.open()
	if len(s.comfy) != 2 {
		t.Errorf("there are %d servers", len(s.comfy))
	}
}

// An operation that is retried while a newer one is to paint the same capture does
// not paint it as well, and nothing is hung twice.
func TestEasel_OneOfTwoOperationsPaints(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	c := s.drafted(CaptureRequest{})
	s.QueuePause(true)
	s.send(c, small(c))
	first := s.operation(c.ID)
	must(t, s.CancelCapture(c.ID))
	s.send(c, small(c))
	must(t, s.QueueRetry(first.ID))
	if _, err := s.runCaptureSend(s.context(), first, func(queue.Progress) {}); !errors.Is(err, queue.ErrDiscard) {
		t.Errorf("the older one: %v", err)
	}
	s.QueuePause(false)
	done := s.settledAs(c.ID, storage.CaptureCompleted)
	if err := s.store.Update(s.hang(done)); !errors.Is(err, queue.ErrDiscard) {
		t.Errorf("hung again: %v", err)
	}
	if n := s.hung(c.ID); n != 1 || len(s.files()) != 2 {
		t.Errorf("it hangs %d times, with %v", n, s.files())
	}
}
