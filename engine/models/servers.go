package models

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/process"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// probeTime limits the time that a server may take to answer a probe.
const probeTime = 4 * time.Second

// Probe asks both servers for their state, emits it as an event and returns it.
func (svc *Service) Probe(ctx context.Context) Servers {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var o OllamaState
	var c ComfyState
	var wg sync.WaitGroup
	wg.Add(2)
	crash.Go("asking Ollama", func() { defer wg.Done(); o = svc.askOllama(ctx) })
	crash.Go("asking ComfyUI", func() { defer wg.Done(); c = svc.askComfy(ctx) })
	wg.Wait()
	s := Servers{o, c}
	svc.mu.Lock()
	svc.servers = s
	svc.mu.Unlock()
	svc.core.Emit(ServerChanged{s})
	if !o.Up {
		svc.watch()
	}
	return s
}

// Servers returns the state of the servers when they were last asked.
func (svc *Service) Servers() Servers {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	return svc.servers
}

func (svc *Service) askOllama(ctx context.Context) OllamaState {
	s := OllamaState{URL: svc.Ollama.BaseURL(), Asked: true}
	version, err := svc.Ollama.Version(ctx)
	if err == nil {
		s.Models, err = svc.Ollama.Models(ctx)
	}
	if err != nil {
		s.Err = failure.Text(err)
		return s
	}
	s.Up, s.Version = true, version
	s.Model = svc.ModelOf(storage.Chat{})
	s.Context = svc.ContextOf(storage.Chat{}, svc.ModelOr(ctx, s.Model))
	return s
}

func (svc *Service) askComfy(ctx context.Context) ComfyState {
	jobs, faults := AskQueues(ctx, svc.Comfy)
	s := ComfyState{URL: svc.Comfy[0].BaseURL(), Asked: true}
	for i, c := range svc.Comfy {
		switch {
		case faults[i] == nil && (!s.Up || jobs[i] < s.Queue):
			s.Up, s.URL, s.Queue = true, c.BaseURL(), jobs[i]
		case faults[i] != nil && s.Err == "":
			s.Err = failure.Text(faults[i])
		}
	}
	return s
}

// NoteServer records the state of the server that a request has shown.
func (svc *Service) NoteServer(err error) {
	down := errors.Is(err, ollama.ErrUnreachable)
	svc.mu.Lock()
	was := svc.servers.Ollama
	changed := was.Asked && was.Up == down
	if down {
		svc.servers.Ollama.Asked, svc.servers.Ollama.Up, svc.servers.Ollama.Err = true, false, failure.Text(err)
	}
	s := svc.servers
	svc.mu.Unlock()
	if down && changed {
		svc.core.Emit(ServerChanged{s})
		svc.watch()
	}
}

// watch polls an absent server every few seconds until it is back. It stops as soon as the server
// answers.
func (svc *Service) watch() {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if svc.polling || !svc.started || !svc.core.BeginWork() {
		return
	}
	svc.polling = true
	crash.Go("the watch for the server", func() {
		defer svc.core.Work.Done()
		t := time.NewTicker(5 * time.Second)
		defer t.Stop()
		for {
			select {
			case <-svc.core.Ctx.Done():
				return
			case <-t.C:
			}
			ctx, cancel := context.WithTimeout(svc.core.Ctx, probeTime)
			_, err := svc.Ollama.Version(ctx)
			cancel()
			if err == nil {
				svc.mu.Lock()
				svc.polling = false
				svc.mu.Unlock()
				svc.Probe(svc.core.Ctx)
				return
			}
		}
	})
}

// OllamaInstalled reports whether there is an ollama program to start.
func (svc *Service) OllamaInstalled() bool {
	_, err := exec.LookPath("ollama")
	return err == nil
}

// StartOllama starts the installed server, which continues to run after Ghostlight ends, and waits
// until it answers.
func (svc *Service) StartOllama(ctx context.Context) error {
	path, err := exec.LookPath("ollama")
	if err != nil {
		return err
	}
	if err := process.Start(path, "serve"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if _, err := svc.Ollama.Version(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ollama.ErrUnreachable
		case <-time.After(200 * time.Millisecond):
		}
	}
}

const (
	// serverPatience limits the time for the answer of one of several servers about its queue,
	// lonelyPatience that of the only one.
	serverPatience = 5 * time.Second
	lonelyPatience = 20 * time.Second
)

// AskQueues returns the number of jobs on each server.
func AskQueues(ctx context.Context, list []*comfy.Client) (jobs []int, faults []error) {
	jobs, faults = make([]int, len(list)), make([]error, len(list))
	patience := serverPatience
	if len(list) == 1 {
		patience = lonelyPatience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var all sync.WaitGroup
	for i, c := range list {
		all.Add(1)
		crash.Go("asking ComfyUI", func() {
			defer all.Done()
			running, pending, err := c.Queue(ctx)
			jobs[i], faults[i] = running+pending, err
		})
	}
	all.Wait()
	return jobs, faults
}

// Servers is the last known state of the two servers.
type Servers struct {
	Ollama OllamaState
	Comfy  ComfyState
}

// OllamaState is the last known state of the Ollama server. Err is in words for the user, "" while
// it answers.
type OllamaState struct {
	URL     string
	Asked   bool // false until the first answer or failure
	Up      bool
	Version string
	Err     string
	Models  []ollama.Model
	Model   string // the default one, "" when none is chosen or there
	Context int    // the context length that requests will carry
}

// HasModel reports whether the default model is on the server.
func (s OllamaState) HasModel() bool {
	return slices.ContainsFunc(s.Models, func(m ollama.Model) bool { return ollama.SameModel(m.Name, s.Model) })
}

// ComfyState is the last known state of the ComfyUI servers: of the one with the shortest queue, or
// of the first if none answers.
type ComfyState struct {
	URL   string
	Asked bool
	Up    bool   // one of them answers
	Err   string // the fault of the first server that does not answer
	Queue int    // jobs that run or wait there
}
